import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claimMount } from '../../../../cache/lease/claim-mount.ts'
import { removeLease } from '../../../../cache/lease/write-lease.ts'
import { openVolume } from '../../../../cache/volume/open-volume.ts'
import { startGround } from '../../../fixture/ground.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { addImage, here, imagePython, imagesOf } from './support/images.ts'

const one = makeWheel({ name: 'one', version: '1.0' })
const two = makeWheel({ name: 'two', version: '1.0' })

/** The default image is one of the tests, so that any interpreter of this host can build for it. */
async function newGround() {
  const ground = await startGround([one, two])
  const { folder, env } = imagesOf(ground)
  addImage(folder, 'debian-bookworm')
  addImage(folder, 'light')
  ground.addTask('task', [one])
  const json = async (...args: string[]) =>
    JSON.parse((await ground.run([...args, '--json'], { env })).stdout)
  return {
    ground,
    onHost: async () => (await ground.prepare('task', { env })).key,
    inContainer: async () => {
      const answer = await ground.run(['mount', 'task', '--for', 'docker', '--json'], { env })
      const { result } = JSON.parse(answer.stdout)
      return { key: result.plan.key as string, imageIsDefault: result.imageIsDefault as boolean }
    },
    json,
    row: async () => (await json('ls')).result[0],
    state: async () => (await json('ls')).result[0].state,
    setImage: (line: string) =>
      writeFileSync(join(ground.lockfiles, 'task', 'task.toml'), `lock = "requirements.lock"\n${line}\n`),
  }
}

/** File name → key. */
function recordsOf(volume: string): Record<string, string> {
  const root = join(volume, 'tasks')
  const [folder = ''] = readdirSync(root)
  const files = readdirSync(join(root, folder))
  return Object.fromEntries(
    files.map(file => [file, JSON.parse(readFileSync(join(root, folder, file), 'utf8')).key]),
  )
}

test('a task without an image has a key on this host and one in the default image; both are kept', async () => {
  const { ground, onHost, inContainer, state } = await newGround()
  const host = await onHost()
  const { key, imageIsDefault } = await inContainer()
  expect(imageIsDefault).toBe(true)
  expect(key).not.toBe(host)
  expect(recordsOf(ground.volume)).toEqual({ 'task.json': host, 'task@default.json': key })
  expect(await onHost()).toBe(host)
  expect((await inContainer()).key).toBe(key)
  expect(recordsOf(ground.volume)).toEqual({ 'task.json': host, 'task@default.json': key })
  expect(await state()).toBe('ready')
  const { target } = JSON.parse((await ground.run(['show', key, '--json'])).stdout).result
  expect(target.interpreter).toBe(imagePython)
})

test('ls, show, verify and rm know both places', async () => {
  const { ground, onHost, inContainer, row, json } = await newGround()
  const { key } = await inContainer()
  const inDefaultImage = { image: 'debian-bookworm', state: 'ready', key, packages: 1 }
  expect(await row()).toMatchObject({ state: 'absent', inDefaultImage })
  expect((await json('show', 'task')).result.target.interpreter).toBe(imagePython)
  const host = await onHost()
  expect(await row()).toMatchObject({ state: 'ready', key: host, inDefaultImage })
  expect((await json('show', 'task')).result.target.interpreter).not.toBe(imagePython)
  expect((await json('verify', 'task')).result.checked.environments).toBe(2)
  ground.writeLock('task', [one, two])
  expect(await row()).toMatchObject({ state: 'lock changed', inDefaultImage: { state: 'lock changed', key } })
  ground.writeLock('task', [one])
  const volume = openVolume(ground.volume, { create: false })
  const held = claimMount(volume, 'task', [key])
  expect(await json('rm', 'task')).toMatchObject({ error: { code: 'ENVIRONMENT_LEASED', details: { key } } })
  expect(await row()).toMatchObject({ state: 'ready', inDefaultImage })
  removeLease(volume, held)
  expect((await json('rm', 'task')).result).toMatchObject([
    { key: host, tasks: ['task'] },
    { key, tasks: ['task'] },
  ])
  expect(await row()).toEqual({ task: 'task', state: 'absent', key: host, packages: null, bytes: null })
  expect((await json('rm', 'task')).error.code).toBe('ENVIRONMENT_NOT_READY')
  await inContainer()
  expect((await json('rm', 'task')).result).toMatchObject([{ key }])
})

test('a task that names an image has one key, and keeps none of before', async () => {
  const { ground, onHost, inContainer, setImage } = await newGround()
  await onHost()
  await inContainer()
  setImage('base-image = "light"')
  const light = await onHost()
  expect(recordsOf(ground.volume)).toEqual({ 'task.json': light })
  expect(await inContainer()).toEqual({ key: light, imageIsDefault: false })
  expect(recordsOf(ground.volume)).toEqual({ 'task.json': light })
})

test('a record of an older envd is read, and completed by the next prepare', async () => {
  const { ground, onHost, state } = await newGround()
  const key = await onHost()
  const root = join(ground.volume, 'tasks')
  const file = join(root, readdirSync(root)[0]!, 'task.json')
  const { task, lockfiles } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ task, lockfiles, key }))
  ground.writeLock('task', [one, two])
  expect(await state()).toBe('lock changed')
  ground.writeLock('task', [one])
  expect(await onHost()).toBe(key)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    ...{ task, lockfiles, key },
    files: expect.stringMatching(/^[0-9a-f]{64}$/),
    circumstances: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('an image that has what this host has, at the same place, shares its environment; rm names the task once', async () => {
  const { ground, onHost, inContainer } = await newGround()
  const program = 'import os, sys; print(sys.base_prefix, os.confstr("CS_GNU_LIBC_VERSION"))'
  const [prefix = '', , glibc] = execFileSync(here.path, ['-c', program]).toString().trim().split(' ')
  const python = { version: here.version, path: here.path, prefix }
  addImage(imagesOf(ground).folder, 'debian-bookworm', { python, glibc })
  const key = await onHost()
  expect((await inContainer()).key).toBe(key)
  expect(recordsOf(ground.volume)).toEqual({ 'task.json': key, 'task@default.json': key })
  expect(JSON.parse((await ground.run(['rm', 'task', '--json'])).stdout).result).toMatchObject([
    { key, tasks: ['task'] },
  ])
})
