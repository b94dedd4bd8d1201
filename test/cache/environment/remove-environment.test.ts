import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import { publishEnvironment } from '../../../cache/environment/publish-environment.ts'
import { removeEnvironment } from '../../../cache/environment/remove-environment.ts'
import { sealTree } from '../../../cache/environment/seal/seal-tree.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import {
  buildLockFile,
  environmentFolder,
  environmentTree,
  leasesFolder,
  stagingRoot,
  stagingTree,
} from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import { childProgram } from '../support/child.ts'
import { receiptFor } from '../support/receipt.ts'
import { newVolume } from '../support/temporary.ts'

const key = 'a'.repeat(64) as Key
const size = 1 << 20

async function publish(volume: Volume): Promise<void> {
  const staging = randomUUID()
  const tree = stagingTree(volume, staging)
  mkdirSync(join(tree, 'lib'), { recursive: true })
  writeFileSync(join(tree, 'lib', 'own'), Buffer.alloc(size, 1))
  writeFileSync(join(tree, 'lib', 'shared'), Buffer.alloc(size, 2))
  if (!existsSync(join(volume.root, 'uv', 'shared')))
    linkSync(join(tree, 'lib', 'shared'), join(volume.root, 'uv', 'shared'))
  const sealed = await sealTree(tree)
  await publishEnvironment(volume, {
    key,
    staging,
    manifest: sealed.manifest,
    receipt: receiptFor(key, sealed),
  })
}

async function readyVolume(): Promise<Volume> {
  const volume = newVolume()
  await publish(volume)
  return volume
}

const remover = await childProgram(`
  import { removeEnvironment } from './cache/environment/remove-environment.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  say(await removeEnvironment(volume, args[1] as import('./src/digest.ts').Key).catch(error => ({ code: error.code })))
`)

test('an environment goes whole, and what it shares is not counted as freed', async () => {
  const volume = await readyVolume()
  const { bytesFreed, ...removed } = await removeEnvironment(volume, key)
  expect(removed).toEqual({ key, path: environmentTree(volume, key) })
  expect(bytesFreed).toBeGreaterThanOrEqual(size)
  expect(bytesFreed).toBeLessThan(1.5 * size)
  expect(findEnvironment(volume, key)).toBeNull()
  for (const name of ['envs', 'staging', 'locks'])
    expect(readdirSync(join(volume.root, name)), name).toEqual([])
  await expect(removeEnvironment(volume, key)).rejects.toMatchObject({ code: 'ENVIRONMENT_NOT_FOUND' })
})

test('refused while it is leased, naming who holds it', async () => {
  const volume = await readyVolume()
  const other = takeLease(volume, { kind: 'run', keys: ['b'.repeat(64)] })
  const lease = takeLease(volume, { kind: 'run', keys: ['c'.repeat(64), key] })
  await expect(removeEnvironment(volume, key)).rejects.toMatchObject({
    code: 'ENVIRONMENT_LEASED',
    message: expect.stringContaining(`process ${process.pid} on ${lease.hostName}`),
    details: { key, pid: process.pid, host: lease.hostName, since: lease.since },
  })
  expect(findEnvironment(volume, key)).not.toBeNull()
  lease.release()
  await removeEnvironment(volume, key)
  other.release()
})

test('refused while its build lock is held, or a file that may be a lease is new', async () => {
  const volume = await readyVolume()
  const lock = tryLock(buildLockFile(volume, key))!
  await expect(removeEnvironment(volume, key)).rejects.toMatchObject({ code: 'ENVIRONMENT_LEASED' })
  lock.release()
  writeFileSync(join(leasesFolder(volume), 'odd.json'), '{')
  await expect(removeEnvironment(volume, key)).rejects.toMatchObject({ code: 'ENVIRONMENT_LEASED' })
  expect(findEnvironment(volume, key)).not.toBeNull()
})

test('a look at its build lock is waited for', async () => {
  const volume = await readyVolume()
  const asking = tryLock(buildLockFile(volume, key), { shared: true })!
  const removing = removeEnvironment(volume, key)
  await setTimeout(20)
  asking.release()
  expect(await removing).toMatchObject({ key })
})

test('another user may not', async () => {
  const volume = await readyVolume()
  expect(await remover({ uid: 1234 }, volume.root, key).next()).toEqual({ code: 'VOLUME_NOT_OWNER' })
})

test('a lease taken before it is hidden wins: nothing happens to who uses it', async () => {
  const volume = await readyVolume()
  const slow = remover({ env: { ENVD_FAULT: 'remove:before-hide:pause' } }, volume.root, key)
  while (!existsSync(buildLockFile(volume, key))) await setTimeout(2)
  const lease = takeLease(volume, { kind: 'run', keys: [key] })
  const found = findEnvironment(volume, key)
  expect(found).not.toBeNull()
  expect(await slow.next()).toEqual({ code: 'ENVIRONMENT_LEASED' })
  expect(findEnvironment(volume, key)).toEqual(found)
  expect(existsSync(join(found!.path, 'lib', 'own'))).toBe(true)
  lease.release()
})

test('once it is hidden nobody finds it, though its tree stays until no lease can come', async () => {
  const volume = await readyVolume()
  const slow = remover({ env: { ENVD_FAULT: 'remove:after-hide:pause' } }, volume.root, key)
  while (findEnvironment(volume, key) !== null) await setTimeout(2)
  expect(existsSync(environmentTree(volume, key))).toBe(true)
  expect(await slow.next()).toMatchObject({ key })
  expect(existsSync(environmentFolder(volume, key))).toBe(false)
})

/** Takes a lease, looks, and says how often an environment it had found was gone before it let go. */
const user = await childProgram(`
  import { existsSync } from 'node:fs'
  import { findEnvironment } from './cache/environment/find-environment.ts'
  import { takeLease } from './cache/lease/take-lease.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  const volume = openVolume(args[0]!, { create: false })
  const result = { found: 0, lost: 0 }
  for (let turn = 0; turn < 400; turn++) {
    const lease = takeLease(volume, { kind: 'run', keys: [args[1]!] })
    const found = findEnvironment(volume, args[1] as import('./src/digest.ts').Key)
    if (found !== null) {
      result.found++
      for (let look = 0; look < 20; look++) if (!existsSync(found.path + '/lib/own')) { result.lost++; break }
    }
    lease.release()
    if (turn % 4 === 0) await new Promise(done => setTimeout(done, 2))
  }
  say(result)
`)

test('users and removals that race: what a user found under a lease stays there', async () => {
  const volume = await readyVolume()
  const child = user({}, volume.root, key)
  let result: unknown
  void child.next().then(value => {
    result = value
  })
  let removals = 0
  while (result === undefined) {
    try {
      await removeEnvironment(volume, key)
      removals++
      await publish(volume)
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENVIRONMENT_LEASED' })
      await setTimeout(0)
    }
  }
  expect(result).toMatchObject({ lost: 0 })
  expect((result as { found: number }).found).toBeGreaterThan(0)
  expect(removals).toBeGreaterThan(0)
})

test.each(['remove:before-hide', 'remove:after-hide', 'remove:after-rename'])(
  'killed at %s: whole or gone, and removed by the next',
  async point => {
    const volume = await readyVolume()
    expect(await remover({ env: { ENVD_FAULT: point } }, volume.root, key).ended).toMatchObject({
      signal: 'SIGKILL',
    })
    if (point === 'remove:after-rename') {
      expect(existsSync(environmentFolder(volume, key))).toBe(false)
      expect((await sweepStaging(volume)).staging).toHaveLength(1)
    } else {
      await publish(volume) // the next build finds it whole again, or brings it back
      expect(findEnvironment(volume, key)).not.toBeNull()
      await removeEnvironment(volume, key)
    }
    expect(readdirSync(stagingRoot(volume))).toEqual([])
    expect(findEnvironment(volume, key)).toBeNull()
  },
)

test('one whose summary is damaged can be removed', async () => {
  const volume = await readyVolume()
  const { rmSync } = await import('node:fs')
  rmSync(join(environmentFolder(volume, key), 'summary.json'))
  await removeEnvironment(volume, key)
  expect(existsSync(environmentFolder(volume, key))).toBe(false)
})
