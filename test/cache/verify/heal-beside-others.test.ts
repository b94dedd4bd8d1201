import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findPackage } from '../../../cache/package/find-package.ts'
import { pendingFindings } from '../../../cache/verify/damage-record.ts'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { recordFindings } from '../../../cache/verify/record-findings.ts'
import { environmentFolder, lockFile } from '../../../cache/volume/layout.ts'
import { tryLock } from '../../../cache/volume/ofd-lock.ts'
import type { Key } from '../../../src/digest.ts'
import { childProgram } from '../support/child.ts'
import { blobOf, files, makeStore, said, verifyAll } from '../support/damage.ts'
import { keyOf, takeIn } from '../support/store.ts'

const verifier = childProgram(`
import { openVolume } from './cache/volume/open-volume.ts'
import { healFindings } from './cache/verify/heal/heal-findings.ts'
import { recordFindings } from './cache/verify/record-findings.ts'
import { verifyStore } from './cache/verify/verify-store.ts'
const volume = openVolume(args[0], { create: false })
const verification = await verifyStore(volume, { environments: null, quick: false })
recordFindings(volume, verification, false)
say(await healFindings(volume, verification.findings))
process.exit(0)
`)

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}

test('what a build brings while a healer searches is neither deleted nor forgotten', async () => {
  const { volume, one } = await makeStore()
  const blob = blobOf(volume, 'code = 1\n')
  const archive = join(volume.root, 'uv/0.0.0/archive-v0/bad')
  mkdirSync(archive, { recursive: true })
  linkSync(blob, join(archive, 'code.py'))
  truncateSync(blob, 3)
  const healer = (await verifier)({ env: { ENVD_FAULT: 'heal:after-archives:pause' } }, volume.root)
  // It has judged the blob, and looked for copies.
  await until(() => !existsSync(archive))
  await takeIn(volume, files)
  expect(await healer.next()).toEqual(['healed'])
  expect(readFileSync(blob, 'utf8')).toBe('code = 1\n')
  expect([findPackage(volume, keyOf('common')), findPackage(volume, keyOf('only'))]).not.toContain(null)
  expect(pendingFindings(volume, one.key as Key)).toBeNull()
  expect(said(await verifyAll(volume, false))).toEqual([])
}, 60_000)

test('what is found while a healer works is healed, too, and not forgotten', async () => {
  const { volume, one } = await makeStore()
  const [first, second] = ['lib/only.py', 'lib/also/only.py'].map(path => join(one.tree, path)) as [
    string,
    string,
  ]
  rmSync(first)
  const healer = (await verifier)({ env: { ENVD_FAULT: 'heal:before-clear:pause' } }, volume.root)
  await until(() => existsSync(first))
  rmSync(second)
  recordFindings(volume, await verifyAll(volume, true), true)
  await healer.next()
  expect(existsSync(second)).toBe(true)
  expect(pendingFindings(volume, one.key as Key)).toBeNull()
}, 60_000)

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
