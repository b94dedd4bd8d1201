import { existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findUndamaged } from '../../../cache/environment/find-undamaged.ts'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import { recordDamage, settleDamage } from '../../../cache/verify/record/record-damage.ts'
import { recordFindings } from '../../../cache/verify/record/record-findings.ts'
import { environmentFolder } from '../../../cache/volume/layout.ts'
import type { Key } from '../../../src/digest.ts'
import { makeStore, said, verifyAll } from '../support/damage.ts'

const texts = [
  '',
  '{',
  'null',
  '[]',
  '{"schemaVersion":2,"foundAt":"","paths":[],"contents":[]}',
  '{"schemaVersion":1,"foundAt":"","paths":[1],"contents":[]}',
  '{"schemaVersion":1,"foundAt":"","paths":[],"contents":[{"sha256":"../x","executable":false,"inodes":[]}]}',
]

test.each(texts)('a record that reads %j stands for any damage: all is looked at again', async text => {
  const { volume, one } = await makeStore()
  const key = one.key as Key
  rmSync(join(one.tree, 'lib/only.py'))
  truncateSync(join(one.tree, 'pyvenv.cfg'))
  writeFileSync(join(environmentFolder(volume, key), 'damaged.json'), text)
  expect(pendingFindings(volume, key)).toMatchObject({ everything: true })
  expect(findUndamaged(volume, key)).toBeNull()
  expect(await healEnvironment(volume, key)).toEqual({ state: 'whole' })
  expect(existsSync(join(one.tree, 'lib/only.py'))).toBe(true)
  expect(said(await verifyAll(volume, false))).toEqual([])
})

test('a folder in the place of the record stands for any damage', async () => {
  const { volume, one } = await makeStore()
  const key = one.key as Key
  mkdirSync(join(environmentFolder(volume, key), 'damaged.json/in it'), { recursive: true })
  expect(await healEnvironment(volume, key)).toEqual({ state: 'whole' })
  expect(findUndamaged(volume, key)).not.toBeNull()
})

test('what is found later does not hide that a record could not be read; a full verification does', async () => {
  const { volume, one } = await makeStore()
  const key = one.key as Key
  writeFileSync(join(environmentFolder(volume, key), 'damaged.json'), '{')
  recordDamage(volume, key, { paths: ['lib/only.py'], contents: [] })
  expect(pendingFindings(volume, key)).toMatchObject({ everything: true, paths: ['lib/only.py'] })
  recordFindings(volume, await verifyAll(volume, false), false)
  expect(pendingFindings(volume, key)).toBeNull()
})

test('a record is settled only as it was read', async () => {
  const { volume, one } = await makeStore()
  const key = one.key as Key
  recordDamage(volume, key, { paths: ['lib/only.py'], contents: [] })
  const read = pendingFindings(volume, key)!
  recordDamage(volume, key, { paths: ['lib/also'], contents: [] })
  expect(settleDamage(volume, key, read, null)).toBe(false)
  expect(settleDamage(volume, key, read, { paths: [], contents: [] })).toBe(false)
  expect(pendingFindings(volume, key)?.paths).toEqual(['lib/also', 'lib/only.py'])
  expect(settleDamage(volume, key, pendingFindings(volume, key)!, null)).toBe(true)
  expect(pendingFindings(volume, key)).toBeNull()
})
