import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { pythonFolder, pythonsFolder } from '../../../cache/volume/layout.ts'
import { codeOf, newVolume } from '../support/temporary.ts'
import { madeFiles, takeInMade } from './support/made-python.ts'

test('none on a volume that has none yet', () => {
  expect(listPythons(newVolume())).toEqual([])
})

test('newest version first, by number and not by letter; equal ones always in the same order', async () => {
  const volume = newVolume()
  const versions = ['3.9.18', '3.13.0', '3.12.10', '3.12.9', '3.13.0rc2', '3.12.9']
  for (const [index, version] of versions.entries()) {
    await takeInMade(volume, { version }, { ...madeFiles, number: String(index) })
  }
  const listed = listPythons(volume)
  expect(listed.map(({ version }) => version)).toEqual([
    '3.13.0',
    '3.13.0rc2',
    '3.12.10',
    '3.12.9',
    '3.12.9',
    '3.9.18',
  ])
  const alike = listed.filter(({ version }) => version === '3.12.9').map(({ digest }) => digest)
  expect(alike).toEqual([...alike].sort())
})

test('what is being removed, and what is no interpreter, is passed over', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  mkdirSync(join(pythonsFolder(volume), 'a-folder'))
  writeFileSync(join(pythonsFolder(volume), 'b'.repeat(64)), 'a file')
  mkdirSync(join(pythonsFolder(volume), 'c'.repeat(64), 'tree'), { recursive: true })
  expect(listPythons(volume)).toEqual([record])
})

test.each<[string, (record: Record<string, unknown>) => string]>([
  ['cut off', record => JSON.stringify(record).slice(0, -20)],
  ['of another tree', record => JSON.stringify({ ...record, digest: 'd'.repeat(64) })],
  ['of another layout', record => JSON.stringify({ ...record, schemaVersion: 2 })],
  ['without a version', record => JSON.stringify({ ...record, version: undefined })],
  ['without the libc it needs', record => JSON.stringify({ ...record, minimumLibc: undefined })],
  [
    'with a libc that is no version',
    record => JSON.stringify({ ...record, minimumLibc: { name: 'glibc', version: '2' } }),
  ],
  ['with a negative size', record => JSON.stringify({ ...record, bytes: -1 })],
  ['null', () => 'null'],
])('a record that is %s is an error, since another one must not be chosen instead', async (_, damage) => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const file = join(pythonFolder(volume, record.digest), 'python.json')
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  writeFileSync(file, damage(JSON.parse(text)))
  expect(codeOf(() => listPythons(volume))).toBe('VOLUME_CORRUPT')
})
