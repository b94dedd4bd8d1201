import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { buildLockFile, environmentTree } from '../../../cache/volume/layout.ts'
import { removeVolume } from '../../../cache/volume/maintenance/remove-volume.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { volumeInfo } from '../../../cache/volume/volume-info.ts'
import { childProgram } from '../support/child.ts'
import { codeOf, newVolume, temporaryFolder } from '../support/temporary.ts'

const key = 'a'.repeat(64)
const size = 1 << 20

/** A volume with a megabyte in an environment, linked from uv's cache as real ones are, and sealed. */
function filledVolume(): Volume {
  const volume = newVolume()
  const tree = environmentTree(volume, key)
  mkdirSync(tree, { recursive: true })
  writeFileSync(join(tree, 'file'), Buffer.alloc(size, 1), { mode: 0o444 })
  linkSync(join(tree, 'file'), join(volume.root, 'uv', 'file'))
  chmodSync(tree, 0o555)
  return volume
}

const remover = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { removeVolume } from './cache/volume/maintenance/remove-volume.ts'
  const volume = openVolume(args[0]!, { create: false, evenRemoving: true })
  say(await removeVolume(volume, { force: true }).catch(error => ({ code: error.code })))
`)

test('a dry run counts environments and disk blocks once, and removes nothing', async () => {
  const volume = filledVolume()
  const { bytes, ...rest } = await removeVolume(volume, { force: false })
  expect(rest).toEqual({ path: volume.root, removed: false, environments: 1 })
  expect(bytes).toBeGreaterThanOrEqual(size)
  expect(bytes).toBeLessThan(1.5 * size)
  expect(readFileSync(join(environmentTree(volume, key), 'file'))).toHaveLength(size)
})

test('the whole volume goes, sealed folders included', async () => {
  const volume = filledVolume()
  expect(await removeVolume(volume, { force: true })).toMatchObject({ removed: true, environments: 1 })
  expect(existsSync(volume.root)).toBe(false)
})

test('through a symbolic link: the contents go, and the link leads to a place for a new volume', async () => {
  const { root } = filledVolume()
  const link = join(temporaryFolder(), 'link')
  symlinkSync(root, link)
  const volume = openVolume(link, { create: false })
  expect(await removeVolume(volume, { force: true })).toMatchObject({ removed: true, environments: 1 })
  expect(readdirSync(root)).toEqual([])
  expect(openVolume(link, { create: true }).id).not.toBe(volume.id)
})

test('also for an owner who is not root', async () => {
  const volume = filledVolume()
  const { chownSync } = await import('node:fs')
  for (const path of [
    '',
    'VERSION',
    'envs',
    'leases',
    'locks',
    'staging',
    'uv',
    'tools',
    'tasks',
    'facts',
    'logs',
  ]) {
    chownSync(join(volume.root, path), 1234, 1234)
  }
  for (const path of ['', 'tree', 'tree/file']) chownSync(join(volume.root, 'envs', key, path), 1234, 1234)
  chownSync(join(volume.root, 'leases', '.fence'), 1234, 1234)
  expect(await remover({ uid: 1234 }, volume.root).next()).toMatchObject({ removed: true, environments: 1 })
  expect(existsSync(join(volume.root, 'envs'))).toBe(false)
})

test('what is not ours stays, and the folder with it', async () => {
  const volume = filledVolume()
  writeFileSync(join(volume.root, 'notes.txt'), 'mine')
  await removeVolume(volume, { force: true })
  expect(readFileSync(join(volume.root, 'notes.txt'), 'utf8')).toBe('mine')
  expect(existsSync(join(volume.root, 'envs'))).toBe(false)
})

test('refused while a lease lives or a build lock is held, dry or not', async () => {
  const volume = filledVolume()
  const lease = takeLease(volume, { kind: 'run', keys: [key] })
  for (const force of [true, false])
    await expect(removeVolume(volume, { force })).rejects.toMatchObject({ code: 'VOLUME_BUSY' })
  lease.release()
  const lock = tryLock(buildLockFile(volume, key))!
  onTestFinished(lock.release)
  await expect(removeVolume(volume, { force: true })).rejects.toMatchObject({ code: 'VOLUME_BUSY' })
  expect(openVolume(volume.root, { create: false })).toEqual(volume)
})

test('another user may not', async () => {
  const volume = filledVolume()
  expect(await remover({ uid: 1234 }, volume.root).next()).toEqual({ code: 'VOLUME_NOT_OWNER' })
})

test('once it has begun nobody opens it or leases in it; cut off, it can be finished', async () => {
  for (const point of ['remove-volume:after-mark', 'remove-volume:before-version']) {
    const volume = filledVolume()
    expect(await remover({ env: { ENVD_FAULT: point } }, volume.root).ended).toMatchObject({
      signal: 'SIGKILL',
    })
    expect(codeOf(() => openVolume(volume.root, { create: true }))).toBe('VOLUME_BUSY')
    if (point === 'remove-volume:after-mark') {
      expect(codeOf(() => takeLease(volume, { kind: 'run', keys: [key] }))).toBe('VOLUME_BUSY')
    }
    expect(await remover({}, volume.root).next()).toMatchObject({ removed: true })
    expect(existsSync(volume.root)).toBe(false)
  }
})

test('a lease taken between the first look and the mark stops the removal', async () => {
  const volume = filledVolume()
  const slow = remover({ env: { ENVD_FAULT: 'remove-volume:after-mark:pause' } }, volume.root)
  const version = join(volume.root, 'VERSION')
  while (!readFileSync(version, 'utf8').includes('removing')) await new Promise(done => setTimeout(done, 5))
  // What a process that took its lease just before the mark has left: the lease, and no refusal.
  const marked = readFileSync(version)
  writeFileSync(version, JSON.stringify({ layout: 1, id: volume.id }))
  const lease = takeLease(volume, { kind: 'run', keys: [key] })
  writeFileSync(version, marked)
  expect(await slow.next()).toEqual({ code: 'VOLUME_BUSY' })
  expect(openVolume(volume.root, { create: false })).toEqual(volume)
  lease.release()
})

test('info counts environments and tells free and total bytes', () => {
  const volume = filledVolume()
  const info = volumeInfo(volume)
  expect(info).toMatchObject({
    path: volume.root,
    id: volume.id,
    layout: 1,
    owner: volume.owner,
    environments: 1,
  })
  expect(info.bytes.free).toBeGreaterThan(0)
  expect(info.bytes.free).toBeLessThanOrEqual(info.bytes.total)
  rmSync(join(volume.root, 'envs', key, 'tree'), { recursive: true })
})
