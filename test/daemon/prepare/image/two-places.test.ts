import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startGround } from '../../../fixture/ground.ts'
import { makeWheel } from '../../../fixture/make-wheel.ts'
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
  return {
    ground,
    onHost: async () => (await ground.prepare('task', { env })).key,
    inContainer: async () => {
      const answer = await ground.run(['mount', 'task', '--for', 'docker', '--json'], { env })
      const { result } = JSON.parse(answer.stdout)
      return { key: result.plan.key as string, imageIsDefault: result.imageIsDefault as boolean }
    },
    state: async () => JSON.parse((await ground.run(['ls', '--json'], { env })).stdout).result[0].state,
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
  // Only the host's is gone; both name the task once.
  expect(JSON.parse((await ground.run(['rm', 'task', '--json'])).stdout).result).toMatchObject({
    key: host,
    tasks: ['task'],
  })
  expect((await inContainer()).key).toBe(key)
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
  expect(JSON.parse((await ground.run(['rm', 'task', '--json'])).stdout).result.tasks).toEqual(['task'])
})
