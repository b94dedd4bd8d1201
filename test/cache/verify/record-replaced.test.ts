import { lstatSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import { recordReplaced } from '../../../cache/verify/record/record-replaced.ts'
import type { Key } from '../../../src/digest.ts'
import { blobOf, files, makeStore, said, verifyAll } from '../support/damage.ts'
import { takeInWith } from '../support/store.ts'

test('environments that have what a take-in replaced are healed by their next prepare', async () => {
  const { volume, one, two } = await makeStore()
  truncateSync(join(one.tree, 'lib/common/code.py'), 3)
  const bad = lstatSync(join(one.tree, 'lib/common/code.py')).ino
  const { damaged } = await takeInWith(volume, files)
  expect(damaged).toHaveLength(1)
  expect(recordReplaced(volume, damaged)).toEqual([one.key, two.key].sort())
  expect(pendingFindings(volume, one.key as Key)).toMatchObject({
    paths: ['lib/also/twice.py', 'lib/common/code.py'],
    contents: [{ sha256: damaged[0], executable: false, inodes: [bad] }],
  })
  for (const { key } of [one, two]) {
    expect(await healEnvironment(volume, key as Key)).toEqual({ state: 'whole' })
  }
  expect(readFileSync(join(two.tree, 'lib/common/code.py'), 'utf8')).toBe('code = 1\n')
  expect(lstatSync(join(one.tree, 'lib/also/twice.py')).ino).toBe(lstatSync(blobOf(volume, 'code = 1\n')).ino)
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test('who has a good copy of his own is left alone, and nothing replaced reaches nobody', async () => {
  const { volume, one } = await makeStore()
  const { damaged } = await takeInWith(volume, files)
  expect(recordReplaced(volume, damaged)).toEqual([])
  const sha256 = blobOf(volume, 'code = 1\n').slice(-64)
  expect(recordReplaced(volume, [sha256])).toEqual([])
  expect(pendingFindings(volume, one.key as Key)).toBeNull()
})
