import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ground, startGround } from '../../../fixture/ground.ts'
import { anyInterpreter, interpreters } from '../../../fixture/interpreter.ts'
import type { MadeFile } from '../../../fixture/wheel/make-wheel.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { addImage, here, type ImageFacts, imagePython, imagesOf, shortVersion } from './support/images.ts'

const one = makeWheel({ name: 'one', version: '1.0' })

async function groundWith(files: readonly MadeFile[], facts: ImageFacts = {}) {
  const ground = await startGround(files)
  const { folder, env } = imagesOf(ground)
  addImage(folder, 'light', facts)
  const inImage = (task: string, env_ = {}) => ground.prepare(task, { env: { ...env, ...env_ } })
  return { ground, folder, env, inImage }
}

const records = ({ volume }: Ground) => {
  const root = join(volume, 'tasks')
  return readdirSync(root).flatMap(folder => readdirSync(join(root, folder)))
}

test('a task of a base image is built for it, and found the second time without a look for a builder', async () => {
  const { ground, env, inImage } = await groundWith([one])
  ground.addTask('task', [one], 'base-image = "light"\n')
  ground.addTask('host', [one])
  const dry = await ground.run(['prepare', 'task', '--dry-run', '--json'], { env })
  expect(JSON.parse(dry.stdout).result).toMatchObject({ ready: false, image: 'light' })
  const first = await inImage('task')
  expect(first.key).toBe(JSON.parse(dry.stdout).result.key)
  expect(first).toMatchObject({ reused: false, image: 'light', packages: 1 })
  expect(readlinkSync(join(first.path, 'bin/python'))).toBe(imagePython)
  expect(readlinkSync(join(first.path, `bin/python${shortVersion}`))).toBe('python')
  const configuration = readFileSync(join(first.path, 'pyvenv.cfg'), 'utf8')
  expect(configuration).toContain('home = /opt/image/bin\n')
  expect(configuration).toContain(`version_info = ${here.version}\n`)

  // No interpreter is to be found: on PATH, in pyenv, or by name.
  const nothing = { PATH: '', HOME: '/nowhere', PYENV_ROOT: '/nowhere', ENVD_PYTHON: '/nowhere/python3' }
  expect(await inImage('task', nothing)).toMatchObject({ reused: true, key: first.key, image: 'light' })
  const host = await ground.prepare('host')
  expect(host.key).not.toBe(first.key)
  expect(host.image).toBeUndefined()

  const asked = await ground.run(['why', 'task', 'host', '--json'], { env })
  const { a, b, differences } = JSON.parse(asked.stdout).result
  expect([a.image, b.image]).toEqual(['light', null])
  expect(differences).toContainEqual({
    part: 'target',
    what: 'interpreter',
    a: imagePython,
    b: anyInterpreter(),
  })
  const { stdout } = await ground.run(['why', 'task', 'host'], { env })
  expect(stdout).toMatch(/^task +[0-9a-f]{64} +for the base image light\n/)
})

test('packages are the same on this host and in images: nothing is fetched or compiled twice', async () => {
  const { ground, inImage } = await groundWith([one])
  ground.addTask('host', [one])
  ground.addTask('task', [one], 'base-image = "light"\n')
  const host = await ground.prepare('host')
  const before = ground.index.requests.filter(path => path.endsWith('.whl')).length
  const packages = () => readdirSync(join(ground.volume, 'packages'), { recursive: true }).sort()
  const known = packages()
  const image = await inImage('task')
  expect(image.key).not.toBe(host.key)
  expect(ground.index.requests.filter(path => path.endsWith('.whl')).length).toBe(before)
  expect(packages()).toEqual(known)
  expect(image.seconds).toMatchObject({ download: 0, compile: 0, hash: 0 })
})

test('ls, show, rm know a task of an image; run without a container is refused and builds nothing', async () => {
  const { ground, env, inImage } = await groundWith([one])
  ground.addTask('task', [one], 'base-image = "light"\n')
  const refused = await ground.run(['run', 'task', '--', 'python'], { env })
  expect(refused.status).toBe(2)
  expect(refused.stderr).toMatch(/error\[TASK_NEEDS_CONTAINER\][\s\S]*envd run task --in podman/)
  expect(readdirSync(join(ground.volume, 'envs'))).toEqual([])
  const states = async () => JSON.parse((await ground.run(['ls', '--json'], { env })).stdout).result
  expect(await states()).toMatchObject([{ state: 'absent' }])
  const { key } = await inImage('task')
  expect(await states()).toMatchObject([{ state: 'ready', key }])
  expect(JSON.parse((await ground.run(['show', 'task', '--json'], { env })).stdout).result).toMatchObject({
    target: { interpreter: imagePython, prefix: '/opt/image', libc: { version: '2.36' } },
  })
  const removed = JSON.parse((await ground.run(['rm', 'task', '--json'], { env })).stdout).result
  expect(removed).toMatchObject([{ key, tasks: ['task'] }])
  expect(await states()).toMatchObject([{ state: 'absent' }])
})

test('ls tells a changed target from a changed lock', async () => {
  const two = makeWheel({ name: 'two', version: '1.0' })
  const { ground, folder, env, inImage } = await groundWith([one, two])
  ground.addTask('task', [one], 'base-image = "light"\n')
  await inImage('task')
  const state = async () => JSON.parse((await ground.run(['ls', '--json'], { env })).stdout).result[0].state
  addImage(folder, 'light', { glibc: '2.41' })
  expect(await state()).toBe('target changed')
  addImage(folder, 'light')
  expect(await state()).toBe('ready')
  ground.writeLock('task', [one, two])
  expect(await state()).toBe('lock changed')
  ground.writeLock('task', [one])
  writeFileSync(join(ground.lockfiles, 'task', 'task.toml'), 'lock = "requirements.lock"\n')
  expect(await state()).toBe('target changed')
})

test('what only the host is other in says so, too', async () => {
  const other = interpreters().find(({ version }) => version !== here.version)
  if (other === undefined) return
  const { ground } = await groundWith([one])
  ground.addTask('task', [one])
  await ground.prepare('task')
  const rows = async (env: Record<string, string>) =>
    JSON.parse((await ground.run(['ls', '--json'], { env })).stdout).result
  expect(await rows({ ENVD_PYTHON: other.path })).toMatchObject([{ state: 'target changed' }])
})

test('an image of another machine, and one there is not', async () => {
  const { ground, env } = await groundWith([one], {
    machine: process.arch === 'arm64' ? 'x86_64' : 'aarch64',
  })
  ground.addTask('task', [one], 'base-image = "light"\n')
  ground.addTask('lost', [one], 'base-image = "heavy"\n')
  expect(await ground.failure(['prepare', 'task'], { env })).toMatchObject({ code: 'IMAGE_OTHER_MACHINE' })
  expect(await ground.failure(['prepare', 'lost'], { env })).toMatchObject({ code: 'IMAGE_NOT_FOUND' })
  const listed = JSON.parse((await ground.run(['ls', '--json'], { env })).stdout).result
  expect(listed).toMatchObject([{ state: 'invalid' }, { state: 'invalid' }])
})

test('an image without a fitting interpreter says what there is and what to take in', async () => {
  const { ground, env } = await groundWith([one], { python: { version: '3.11.99' } })
  ground.addTask('task', [one], `base-image = "light"\npython = "${here.version}"\n`)
  const refusal = await ground.failure(['prepare', 'task'], { env })
  expect(refusal).toMatchObject({ code: 'PYTHON_NOT_FOUND', details: { image: 'light' } })
  expect(refusal.message).toContain('3.11.99 in the image light (another version)')
  expect(refusal.hint).toMatch(/envd python import \//)
})

test('a version that only the container has can not be built for, and says so', async () => {
  const { ground, env } = await groundWith([one], { python: { version: '3.11.99' } })
  ground.addTask('task', [one], 'base-image = "light"\n')
  const refusal = await ground.failure(['prepare', 'task'], { env })
  expect(refusal.code).toBe('PYTHON_NOT_FOUND')
  expect(refusal.message).toContain('needs a CPython 3.11.99 (cp311) on this host')
  expect(records(ground)).toEqual([])
})
