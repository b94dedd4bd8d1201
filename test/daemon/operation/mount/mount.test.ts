import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { MountResult } from '../../../../src/api/mount.ts'
import { type Ground, startGround } from '../../../fixture/ground.ts'
import { makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { here, imagePython, imagesOf } from '../../prepare/image/support/images.ts'

const one = makeWheel({ name: 'one', version: '1.0' })

/** Facts without an image: one of Debian's packages sets the PATH that all of them set. */
function addDebianImage(folder: string, name: string): void {
  const python = [`path = "${imagePython}"`, `version = "${here.version}"`, 'prefix = "/opt/image"']
  const lines = ['glibc = "2.36"', '[debian]', 'suite = "bookworm"', '[python]', ...python]
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'image.toml'), `${lines.join('\n')}\n`)
}

async function groundWithTask(): Promise<{ ground: Ground; env: Record<string, string> }> {
  const ground = await startGround([one])
  const { folder, env } = imagesOf(ground)
  for (const image of ['light', 'debian-bookworm']) addDebianImage(folder, image)
  ground.addTask('my-task', [one], 'base-image = "light"\n')
  ground.addTask('no-image', [one])
  return { ground, env }
}

test('prepares the task for its image, and prints a plan of its tree', async () => {
  const { ground, env } = await groundWithTask()
  const mounted = async (): Promise<MountResult> =>
    JSON.parse((await ground.run(['mount', 'my-task', '--for', 'docker', '--json'], { env })).stdout).result
  const first = await mounted()
  const { key, path } = await ground.prepare('my-task', { env })
  expect(first).toMatchObject({
    form: 'docker',
    imageIsDefault: false,
    plan: { task: 'my-task', key, leased: [key], image: { name: 'light' } },
  })
  expect(first.plan.mounts).toEqual([{ kind: 'environment', source: path, destination: '/opt/envd/env' }])
  expect(first.words).toEqual(expect.arrayContaining(['docker', 'run', '--rm']))
  expect(await mounted()).toEqual(first)
})

test('stdout is what the engine takes, in every form; stderr says the rest', async () => {
  const { ground, env } = await groundWithTask()
  await ground.prepare('my-task', { env })
  // The others need the image, or write on this host.
  for (const form of ['docker', 'kubernetes', 'pyxis', 'oci']) {
    const { stdout, stderr, status } = await ground.run(['mount', 'my-task', '--for', form], { env })
    const told = await ground.run(['mount', 'my-task', '--for', form, '--json'], { env })
    const { text, notes } = JSON.parse(told.stdout).result
    expect({ status, stdout, stderr }).toEqual({
      ...{ status: 0, stdout: text },
      stderr: notes.map((note: string) => `note: ${note}\n`).join(''),
    })
  }
})

test('the default image is said on stderr, and its environment is not the one of this host', async () => {
  const { ground, env } = await groundWithTask()
  const host = await ground.prepare('no-image', { env })
  const { stdout, stderr } = await ground.run(['mount', 'no-image', '--for', 'oci'], { env })
  expect(stderr).toContain(
    'note: no-image names no base image; this is for debian-bookworm, which envd brings along',
  )
  expect(stdout).not.toContain(host.key)
})

test('no lease, no record and no file of a task is in what is mounted', async () => {
  const { ground, env } = await groundWithTask()
  const { path } = await ground.prepare('my-task', { env })
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
  expect(names.filter(name => /receipt|summary|manifest|\.lock$|my-task/.test(name))).toEqual([])
})

test('an engine that there is none of, and a task', async () => {
  const { ground, env } = await groundWithTask()
  const failure = (...args: string[]) => ground.failure(['mount', ...args], { env })
  expect(await failure('my-task', '--for', 'dokcer')).toMatchObject({
    code: 'USAGE',
    hint: 'Did you mean docker?',
  })
  expect(await failure('my-task')).toMatchObject({
    code: 'USAGE',
    hint: expect.stringContaining('apptainer or oci'),
  })
  expect(await failure('nothing', '--for', 'podman')).toMatchObject({ code: 'TASK_NOT_FOUND' })
  expect(readdirSync(join(ground.volume, 'envs'))).toEqual([])
})

test('a ready task needs no index, no uv and no interpreter', async () => {
  const { ground, env } = await groundWithTask()
  await ground.run(['mount', 'my-task', '--for', 'docker'], { env })
  await ground.index.close()
  rmSync(join(ground.volume, 'uv'), { recursive: true })
  const nothing = { ...env, PATH: '', ENVD_PYTHON: '/nowhere/python3' }
  const { status, stdout } = await ground.run(['mount', 'my-task', '--for', 'docker'], { env: nothing })
  expect({ status, stdout: stdout.slice(0, 10) }).toEqual({ status: 0, stdout: 'docker run' })
})
