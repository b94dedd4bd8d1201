import { chmodSync, linkSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import type { Key } from '../../../src/digest.ts'
import { childProgram } from '../support/child.ts'
import { blobOf, files, heal, makeStore, type Store, said, verifyAll } from '../support/damage.ts'
import { takeIn } from '../support/store.ts'

const faultPoints = [
  'heal:after-record',
  'heal:after-archives',
  'heal:after-quarantine',
  'heal:after-blobs',
  'heal:after-path',
]

const healer = childProgram(`
import { openVolume } from './cache/volume/open-volume.ts'
import { healFindings } from './cache/verify/heal/heal-findings.ts'
import { recordFindings } from './cache/verify/record/record-findings.ts'
import { verifyStore } from './cache/verify/verify-store.ts'
const volume = openVolume(args[0], { create: false })
const verification = await verifyStore(volume, { environments: null, quick: false })
recordFindings(volume, verification, false)
await healFindings(volume, verification.findings)
process.exit(0)
`)

/** Of every kind. */
function damage(store: Store): void {
  const { volume, one } = store
  writeFileSync(join(one.tree, 'lib/common/code.py'), 'CODE', { flag: 'r+' })
  mkdirSync(join(volume.root, 'uv/0.0.0/archive-v0/bad'), { recursive: true })
  linkSync(blobOf(volume, 'code = 1\n'), join(volume.root, 'uv/0.0.0/archive-v0/bad/code.py'))
  damageHealable(store)
}

/** What needs no index. */
function damageHealable({ volume, one, two }: Store): void {
  rmSync(join(one.tree, 'lib/common/deep'), { recursive: true })
  rmSync(blobOf(volume, 'only = 1\n'))
  mkdirSync(join(two.tree, 'lib/__pycache__'))
  chmodSync(two.tree, 0o777)
  truncateSync(join(two.tree, 'pyvenv.cfg'))
}

test.each(faultPoints)('killed %s, healing begins again and ends well', async fault => {
  const store = await makeStore()
  const { volume, one, two } = store
  damage(store)
  const child = (await healer)({ env: { ENVD_FAULT: fault } }, volume.root)
  expect(await child.ended).toMatchObject({ signal: 'SIGKILL' })
  await heal(volume)
  for (const { key } of [one, two]) {
    expect(pendingFindings(volume, key as Key)).not.toBeNull()
    expect(await healEnvironment(volume, key as Key)).toMatchObject({ state: 'bring' })
  }
  await takeIn(volume, files)
  for (const { key } of [one, two]) {
    expect(await healEnvironment(volume, key as Key)).toEqual({ state: 'whole' })
  }
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test.each(faultPoints)('killed %s, the next prepare alone heals', async fault => {
  const store = await makeStore()
  const { volume, one, two } = store
  damage(store)
  const child = (await healer)({ env: { ENVD_FAULT: fault } }, volume.root)
  await child.ended
  for (const { key } of [one, two]) await healEnvironment(volume, key as Key)
  await takeIn(volume, files)
  for (const { key } of [one, two]) {
    expect(await healEnvironment(volume, key as Key)).toEqual({ state: 'whole' })
  }
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test.each(['heal:after-path', 'heal:before-clear'])(
  'killed %s, what needs no index is healed by the next prepare',
  async fault => {
    const store = await makeStore()
    const { volume, one, two } = store
    damageHealable(store)
    const child = (await healer)({ env: { ENVD_FAULT: fault } }, volume.root)
    expect(await child.ended).toMatchObject({ signal: 'SIGKILL' })
    for (const { key } of [one, two]) {
      expect(await healEnvironment(volume, key as Key)).toEqual({ state: 'whole' })
    }
    expect(said(await verifyAll(volume, false))).toEqual([])
  },
)
