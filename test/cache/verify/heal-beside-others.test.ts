import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { withUvCache } from '../../../cache/lock/uv-cache-lock.ts'
import { findPackage } from '../../../cache/package/find-package.ts'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import { recordDamage } from '../../../cache/verify/record/record-damage.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import { environmentFolder, lockFile, uvCacheGateFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import { childProgram } from '../support/child.ts'
import { blobOf, files, makeStore, said, verifyAll } from '../support/damage.ts'
import { keyOf, takeIn } from '../support/store.ts'

const healer = childProgram(`
import { openVolume } from './cache/volume/open-volume.ts'
import { healContents } from './cache/verify/heal/heal-contents.ts'
import { withStagingFolder } from './cache/lease/with-staging.ts'
import { damagedContents, recordFindings } from './cache/verify/record/record-findings.ts'
import { verifyStore } from './cache/verify/verify-store.ts'
const volume = openVolume(args[0], { create: false })
const verification = await verifyStore(volume, { environments: null, quick: false })
recordFindings(volume, verification, false)
await withStagingFolder(volume, [], ({ folder }) => healContents(volume, damagedContents(verification.findings), folder))
say('done')
process.exit(0)
`)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

test('what a build brings while a healer searches is neither deleted nor forgotten', async () => {
  const { volume, one, two } = await makeStore()
  const blob = blobOf(volume, 'code = 1\n')
  const archive = join(volume.root, 'uv/0.0.0/archive-v0/bad')
  mkdirSync(archive, { recursive: true })
  linkSync(blob, join(archive, 'code.py'))
  truncateSync(blob, 3)
  const child = (await healer)({ env: { ENVD_FAULT: 'heal:after-archives:pause' } }, volume.root, 'contents')
  // It has judged the blob, and looked for copies.
  await until(() => !existsSync(archive))
  await takeIn(volume, files)
  await child.next()
  expect(readFileSync(blob, 'utf8')).toBe('code = 1\n')
  expect([findPackage(volume, keyOf('common')), findPackage(volume, keyOf('only'))]).not.toContain(null)
  for (const { key } of [one, two]) {
    expect(await healEnvironment(volume, key as Key)).toEqual({ state: 'whole' })
  }
  expect(said(await verifyAll(volume, false))).toEqual([])
}, 60_000)

test('no blob is taken away while a build takes in, which may rely on it', async () => {
  const { volume } = await makeStore()
  const blob = blobOf(volume, 'code = 1\n')
  truncateSync(blob, 3)
  const { promise: ready, resolve: isReady } = deferred()
  const { promise: taken, resolve: end } = deferred()
  const build = withUvCache(
    volume,
    async () => {
      isReady()
      await taken
      // The last moment at which its packages are written down.
      return existsSync(blob)
    },
    {},
  )
  await ready
  const child = (await healer)({}, volume.root, 'contents')
  const done = child.next()
  // It waits at the gate.
  await until(() => isHeld(volume))
  end()
  expect(await build).toBe(true)
  await done
  expect(existsSync(blob)).toBe(false)
}, 60_000)

function isHeld(volume: Volume): boolean {
  const lock = tryLock(uvCacheGateFile(volume))
  lock?.release()
  return lock === null
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>(done => {
    resolve = done
  })
  return { promise, resolve }
}

test('what is found while a healer works is healed, too, and not forgotten', async () => {
  const { volume, one } = await makeStore()
  const key = one.key as Key
  const [first, second] = ['lib/only.py', 'lib/also/only.py'] as const
  rmSync(join(one.tree, first))
  recordDamage(volume, key, { paths: [first], contents: [] })
  const healing = healEnvironment(volume, key)
  // It has read the record, and waits for its turn.
  rmSync(join(one.tree, second))
  recordDamage(volume, key, { paths: [second], contents: [] })
  expect(await healing).toEqual({ state: 'whole' })
  expect(existsSync(join(one.tree, second))).toBe(true)
  expect(pendingFindings(volume, key)).toBeNull()
})

test('one process at a time heals contents, and who waits can be stopped', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(one.tree, 'lib/only.py'))
  recordFindings(volume, await verifyAll(volume, false), false)
  const lock = tryLock(lockFile(volume, 'heal'))
  const stop = new AbortController()
  const healing = healEnvironment(volume, one.key as Key, stop.signal)
  await sleep(300)
  expect(existsSync(join(one.tree, 'lib/only.py'))).toBe(false)
  stop.abort(new Error('stopped'))
  await expect(healing).rejects.toThrow('stopped')
  expect(pendingFindings(volume, one.key as Key)).not.toBeNull()
  lock!.release()
  expect(await healEnvironment(volume, one.key as Key)).toEqual({ state: 'whole' })
})

test('a full verification takes away no record that came after it began', async () => {
  const { volume, one } = await makeStore()
  const whole = await verifyAll(volume, false)
  rmSync(join(one.tree, 'lib/only.py'))
  recordFindings(volume, await verifyAll(volume, true), true)
  recordFindings(volume, whole, false)
  expect(pendingFindings(volume, one.key as Key)?.paths).toEqual(['lib/only.py'])
})

test('findings of an environment that was removed meanwhile do not bring its folder back', async () => {
  const { volume, one } = await makeStore()
  rmSync(join(one.tree, 'lib/only.py'))
  const found = await verifyAll(volume, false)
  rmSync(environmentFolder(volume, one.key), { recursive: true })
  recordFindings(volume, found, false)
  expect(existsSync(environmentFolder(volume, one.key))).toBe(false)
})
