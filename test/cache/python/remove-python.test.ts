import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { removePython } from '../../../cache/python/remove-python.ts'
import { pythonFolder } from '../../../cache/volume/layout.ts'
import { childProgram } from '../support/child.ts'
import { newVolume } from '../support/temporary.ts'
import { madeFiles, takeInMade } from './support/made-python.ts'

test('it goes with all it has, and no other does', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const other = await takeInMade(volume, {}, { ...madeFiles, more: 'of it' })
  expect(await removePython(volume, record.digest)).toBeGreaterThan(0)
  expect(listPythons(volume)).toEqual([other.record])
  expect(existsSync(pythonFolder(volume, record.digest))).toBe(false)
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})

test('one that is not there is an error', async () => {
  await expect(removePython(newVolume(), 'a'.repeat(64))).rejects.toMatchObject({
    code: 'PYTHON_NOT_IMPORTED',
  })
})

test('one that a lease names stays, visible as before; it goes when the lease has ended', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const lease = takeLease(volume, { kind: 'run', keys: ['e'.repeat(64), record.digest] })
  await expect(removePython(volume, record.digest)).rejects.toMatchObject({
    code: 'PYTHON_IN_USE',
    message: expect.stringContaining(String(process.pid)),
  })
  expect(listPythons(volume)).toEqual([record])
  lease.release()
  await removePython(volume, record.digest)
  expect(listPythons(volume)).toEqual([])
})

const remover = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { removePython } from './cache/python/remove-python.ts'
  say('removing')
  const removed = removePython(openVolume(args[0]!, { create: false }), args[1]!)
  say(await removed.then(() => 'removed', error => error.code))
`)

test('a lease taken after the first look at the leases is seen by the second', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const slow = remover({ env: { ENVD_FAULT: 'python:before-hide:pause' } }, volume.root, record.digest)
  expect(await slow.next()).toBe('removing')
  await setTimeout(1000)
  const lease = takeLease(volume, { kind: 'run', keys: [record.digest] })
  expect(await slow.next()).toBe('PYTHON_IN_USE')
  expect(listPythons(volume)).toEqual([record])
  lease.release()
})

test('a fresh lease that cannot be read may be for it', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  writeFileSync(join(volume.root, 'leases', 'half.json'), '{')
  await expect(removePython(volume, record.digest)).rejects.toMatchObject({ code: 'PYTHON_IN_USE' })
  expect(listPythons(volume)).toEqual([record])
})

test('a removal that was cut off is finished, or undone by taking it in again', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  const folder = pythonFolder(volume, record.digest)
  const cutOff = () => renameSync(join(folder, 'python.json'), join(folder, 'python.removing'))
  cutOff()
  expect(listPythons(volume)).toEqual([])
  expect((await takeInMade(volume)).published).toBe(true)
  expect(listPythons(volume)).toEqual([record])
  cutOff()
  await removePython(volume, record.digest)
  expect(existsSync(folder)).toBe(false)
})

test('only the owner removes', async () => {
  const volume = newVolume()
  const { record } = await takeInMade(volume)
  await expect(removePython({ ...volume, owned: false }, record.digest)).rejects.toMatchObject({
    code: 'VOLUME_NOT_OWNER',
  })
  expect(listPythons(volume)).toEqual([record])
})
