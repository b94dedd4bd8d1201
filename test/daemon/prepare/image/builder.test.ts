import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { machine } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readElf } from '../../../../src/elf/read-elf.ts'
import { startGround } from '../../../fixture/ground.ts'
import { interpreters } from '../../../fixture/interpreter.ts'
import { folderOfUv } from '../../../fixture/pinned-uv.ts'
import { makeSdist } from '../../../fixture/wheel/make-sdist.ts'
import { type MadeFile, makeWheel } from '../../../fixture/wheel/make-wheel.ts'
import { addImage, here, type ImageFacts, imagesOf, shortVersion } from './support/images.ts'

const one = makeWheel({ name: 'one', version: '1.0' })

async function groundWith(files: readonly MadeFile[], facts: ImageFacts) {
  const ground = await startGround(files)
  const { folder, env } = imagesOf(ground)
  addImage(folder, 'light', facts)
  return { ground, env }
}

/** A record of an interpreter that was taken in; its tree leads to the one of this host. */
function takeIn(volume: string, version: string): void {
  const digest = 'd'.repeat(64)
  const executable = `bin/python${shortVersion}`
  const record = {
    ...{ schemaVersion: 1, digest, implementation: 'cpython', version, machine: machine(), executable },
    ...{ abi: `cp${shortVersion.replace('.', '')}`, minimumLibc: { name: 'glibc', version: '2.17' } },
    ...{ libraries: [], leftOut: [], importedFrom: '/opt/python', importedAt: new Date(0).toISOString() },
    ...{ files: 1, bytes: 1 },
  }
  const folder = join(volume, 'pythons', digest)
  mkdirSync(join(folder, 'tree', 'bin'), { recursive: true })
  symlinkSync(here.path, join(folder, 'tree', executable))
  writeFileSync(join(folder, 'python.json'), JSON.stringify(record))
}

test('an interpreter that was taken in is the one of the container, and runs the build', async () => {
  const { ground, env } = await groundWith([one], { python: null })
  ground.addTask('task', [one], `base-image = "light"\npython = "${shortVersion}"\n`)
  // This version is nowhere else: not in pyenv, not on PATH, and ENVD_PYTHON names another one.
  const other = interpreters().find(({ path }) => path.startsWith('/usr/bin/'))
  const alone = {
    ...env,
    PATH: [await folderOfUv(), '/usr/bin', '/bin'].join(':'),
    ...(other !== undefined && { ENVD_PYTHON: other.path }),
  }
  expect(await ground.failure(['prepare', 'task'], { env: alone })).toMatchObject({
    code: 'PYTHON_NOT_FOUND',
  })
  takeIn(ground.volume, here.version)
  const { path, image } = await ground.prepare('task', { env: alone })
  expect(image).toBe('light')
  expect(readlinkSync(join(path, 'bin/python'))).toBe(`/opt/envd/python/bin/python${shortVersion}`)
  expect(readFileSync(join(path, 'pyvenv.cfg'), 'utf8')).toContain('home = /opt/envd/python/bin\n')
})

test("a wheel for the image's newer libc is installed, though this host could not load it", async () => {
  const tag = `cp${shortVersion.replace('.', '')}-cp${shortVersion.replace('.', '')}-manylinux_2_39_${machine()}`
  const newer = makeWheel({ name: 'newer', version: '1.0', tag })
  const { ground, env } = await groundWith([newer, one], { glibc: '2.41' })
  ground.addTask('task', [newer, one], 'base-image = "light"\n')
  expect(await ground.prepare('task', { env })).toMatchObject({ packages: 2 })
  addImage(env.ENVD_BASE_IMAGES, 'light', { glibc: '2.38' })
  expect(await ground.failure(['prepare', 'task'], { env })).toMatchObject({ code: 'NO_FILE_FITS' })
})

test('a source build is for the libc of this host: it may need no newer one than the image has', async () => {
  const needs = readElf(readFileSync(here.path))?.glibc
  if (!needs) throw new Error(`${here.path} is no ELF file`)
  const older = `2.${Number(needs.split('.')[1]) - 1}`
  const onBuild = 'import sys\nextra["built/_native.so"] = open(sys.executable, "rb").read()'
  const built = makeSdist({ name: 'built', version: '1.0', onBuild })
  const pure = makeSdist({ name: 'pure', version: '1.0' })
  const { ground, env } = await groundWith([built, pure], { glibc: older })
  ground.addTask('built', [built], 'base-image = "light"\n')
  ground.addTask('pure', [pure], 'base-image = "light"\n')
  const refusal = await ground.failure(['prepare', 'built'], { env })
  expect(refusal).toMatchObject({
    code: 'BUILD_NEEDS_NEWER_LIBC',
    details: { name: 'built', needs, target: older },
  })
  expect(refusal.message).toContain('site-packages/built/_native.so')
  expect(await ground.prepare('pure', { env })).toMatchObject({ packages: 1 })
  addImage(env.ENVD_BASE_IMAGES, 'light', { glibc: needs })
  expect(await ground.prepare('built', { env })).toMatchObject({ packages: 1 })
})
