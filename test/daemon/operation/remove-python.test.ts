import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { environmentFolder, pythonFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { removePython } from '../../../daemon/operation/python/remove-python.ts'
import { writeTaskRecord } from '../../../daemon/prepare/task/task-record.ts'
import type { Target } from '../../../src/target/target.ts'
import { madeFiles, takeInMade } from '../../cache/python/support/made-python.ts'
import { makeEnvironment, takeIn } from '../../cache/support/store.ts'
import { newVolume } from '../../cache/support/temporary.ts'

/** A task whose last environment is for that target. */
async function taskWith(volume: Volume, task: string, target: Partial<Target>): Promise<void> {
  const { key } = await makeEnvironment(
    volume,
    task,
    await takeIn(volume, { [task]: { [`${task}.py`]: '' } }),
  )
  const file = join(environmentFolder(volume, key), 'receipt.json')
  const receipt = JSON.parse(readFileSync(file, 'utf8'))
  chmodSync(file, 0o644)
  writeFileSync(file, JSON.stringify({ ...receipt, target: { ...receipt.target, ...target } }))
  writeTaskRecord(volume, { task, lockfiles: '/lockfiles', key })
}

const inContainer = { version: '3.12.1', abi: 'cp312', machine: 'x86_64', prefix: '/opt/envd/python' }

test.each([
  ['its version', () => '3.12.1'],
  ['its digest', (digest: string) => digest],
  ['the first digits of it', (digest: string) => digest.slice(0, 8)],
])('by %s', async (_, reference) => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const { digest, version } = record
  expect(await removePython(volume, reference(digest))).toMatchObject({ digest, version })
  expect(listPythons(volume)).toEqual([])
})

test.each(['3.12', '3.12.10', 'python3.12', '', 'f'.repeat(64)])('%j names none', async reference => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  await expect(removePython(volume, reference)).rejects.toMatchObject({ code: 'PYTHON_NOT_IMPORTED' })
  expect(listPythons(volume)).toEqual([record])
})

test('a version that two have names neither', async () => {
  const volume = newVolume()
  const one = await takeInMade(volume)
  const two = await takeInMade(volume, {}, { ...madeFiles, more: 'of it' })
  await expect(removePython(volume, '3.12.1')).rejects.toMatchObject({
    code: 'PYTHON_NOT_IMPORTED',
    details: { digests: expect.arrayContaining([one.record.digest, two.record.digest]) },
  })
  await removePython(volume, one.record.digest)
  expect(listPythons(volume)).toEqual([two.record])
})

test('what a task runs with in its container stays, and the task is named; another build of it will do', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  await taskWith(volume, 'needy', inContainer)
  await expect(removePython(volume, '3.12.1')).rejects.toMatchObject({
    code: 'PYTHON_IN_USE',
    message: expect.stringContaining('needy'),
  })
  expect(listPythons(volume)).toEqual([record])
  await takeInMade(volume, {}, { ...madeFiles, more: 'of it' })
  await removePython(volume, record.digest)
  await expect(removePython(volume, '3.12.1')).rejects.toMatchObject({ code: 'PYTHON_IN_USE' })
})

test.each<[string, Partial<Target>]>([
  ['on this host', { prefix: '/usr' }],
  ['with another version', { version: '3.12.2' }],
  ['with another ABI', { abi: 'cp312t' }],
])('a task that runs %s does not need it', async (_, other) => {
  const volume = newVolume()
  await takeInMade(volume)
  await taskWith(volume, 'task', { ...inContainer, ...other })
  await removePython(volume, '3.12.1')
  expect(listPythons(volume)).toEqual([])
})

test('one with a damaged record goes by its digest', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const file = join(pythonFolder(volume, record.digest), 'python.json')
  rmSync(file)
  writeFileSync(file, '{')
  await expect(removePython(volume, '3.12.1')).rejects.toMatchObject({
    code: 'VOLUME_CORRUPT',
    hint: expect.stringContaining(record.digest),
  })
  expect(await removePython(volume, record.digest)).toMatchObject({ digest: record.digest, version: null })
  expect(listPythons(volume)).toEqual([])
})
