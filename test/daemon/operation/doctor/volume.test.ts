import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openVolume } from '../../../../cache/volume/open-volume.ts'
import { requireRoot } from '../../../cache/support/child.ts'
import { smallFileSystem, temporaryFolder } from '../../../cache/support/temporary.ts'
import { type Ground, type RunOptions, startGround } from '../../../fixture/ground.ts'
import { anyInterpreter } from '../../../fixture/interpreter.ts'
import { folderOfUv } from '../../../fixture/pinned-uv.ts'
import { readableEnvd, readablePython } from '../../support/readable.ts'
import { askDoctor as ask, contentsOf, diagnosisOf, pathOf } from './support/ask-doctor.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../../../fixture/${name}`, import.meta.url))

/** Without the engines of this machine, which are no matter of these tests. */
const askDoctor = async (ground: Ground, { env = {}, ...options }: RunOptions = {}) =>
  ask(ground, { ...options, env: { PATH: [pathOf('sync'), await folderOfUv()].join(delimiter), ...env } })

async function groundOnSmall(kibibytes: number) {
  const folder = smallFileSystem(kibibytes)
  const ground = await startGround([], { volume: join(folder, 'volume') })
  openVolume(ground.volume, { create: true })
  return { folder, ground }
}

async function groundWithVolume() {
  const ground = await startGround([])
  openVolume(ground.volume, { create: true })
  return ground
}

const tried = ['hard links', 'reflinks', 'rename', 'locks', 'clock']

test('a whole volume has no problem, and is afterwards as it was', async () => {
  const ground = await groundWithVolume()
  const before = contentsOf(ground.volume)
  const { status, error, report, names, check } = await askDoctor(ground)
  expect({ status, error, volume: report.volume }).toEqual({ status: 0, error: null, volume: ground.volume })
  expect(names('problem')).toEqual([])
  expect(names('ok')).toEqual(
    expect.arrayContaining(['volume', 'mount', 'owner', 'leases', 'one mount', 'inodes', ...tried, 'uv']),
  )
  expect(check('uv').what).toMatch(/^\d+\.\d+\.\d+, \//)
  expect(contentsOf(ground.volume)).toEqual(before)
})

test('where there is no volume none is made; one whose parent is missing can not be', async () => {
  const ground = await startGround([])
  const { status, check } = await askDoctor(ground)
  expect({ status, ...check('volume') }).toMatchObject({ status: 0, state: 'ok' })
  expect(check('file system').state).toBe('not checked')
  expect(check('space').state).not.toBe('not checked')
  expect(existsSync(ground.volume)).toBe(false)
  const orphan = await askDoctor(ground, { env: { ENVD_VOLUME: join(ground.volume, 'further/down') } })
  expect(orphan).toMatchObject({ status: 1, error: { code: 'PROBLEMS_FOUND', message: '1 problem: volume' } })
  expect(orphan.check('volume').hint).toContain('ENVD_VOLUME')
  expect(existsSync(ground.volume)).toBe(false)
})

test('a folder that is none, and one of a later envd, are problems with the hint of their error', async () => {
  const ground = await startGround([])
  mkdirSync(ground.volume)
  writeFileSync(join(ground.volume, 'thesis.txt'), '')
  expect((await askDoctor(ground)).check('volume')).toMatchObject({
    state: 'problem',
    what: expect.stringContaining('thesis.txt'),
    hint: expect.stringContaining('ENVD_VOLUME'),
  })
  const later = await groundWithVolume()
  const id = '00000000-0000-4000-8000-000000000000'
  writeFileSync(join(later.volume, 'VERSION'), JSON.stringify({ layout: 99, id }))
  expect((await askDoctor(later)).check('volume')).toMatchObject({ state: 'problem', hint: 'Upgrade envd.' })
})

test('space: nearly full is a problem, getting full a warning', async () => {
  const { folder, ground } = await groundOnSmall(16 << 10)
  const full = await askDoctor(ground)
  expect(full).toMatchObject({ status: 1, error: { message: '1 problem: space' } })
  expect(full.check('space')).toMatchObject({ state: 'problem', hint: expect.stringContaining('envd rm') })
  execFileSync('mount', ['-o', 'remount,size=512m', folder])
  const { status, check } = await askDoctor(ground)
  expect({ status, state: check('space').state }).toEqual({ status: 0, state: 'warning' })
})

test('inodes are counted, too', async () => {
  const { folder, ground } = await groundOnSmall(512 << 10)
  execFileSync('mount', ['-o', 'remount,nr_inodes=1500', folder])
  expect((await askDoctor(ground)).check('inodes').state).toBe('warning')
  for (let file = 0; file < 600; file++) writeFileSync(join(folder, `${file}`), '')
  const none = await askDoctor(ground)
  expect(none).toMatchObject({ status: 1, error: { message: '1 problem: inodes' } })
  execFileSync('mount', ['-o', 'remount,nr_inodes=500000', folder])
  expect((await askDoctor(ground)).check('inodes').state).toBe('ok')
})

test('a full file system is told apart from one that is broken', async () => {
  const { folder, ground } = await groundOnSmall(1 << 10)
  expect(() => writeFileSync(join(folder, 'filler'), Buffer.alloc(2 << 20))).toThrow('ENOSPC')
  const { status, check, names } = await askDoctor(ground)
  expect(status).toBe(1)
  expect(check('writing').what).toContain('The disk is full')
  expect(names('not checked')).toEqual(expect.arrayContaining(tried))
})

test('read-only, noexec: what the mount says', async () => {
  const { folder, ground } = await groundOnSmall(512 << 10)
  execFileSync('mount', ['-o', 'remount,ro', folder])
  const readOnly = await askDoctor(ground)
  expect(readOnly.status).toBe(1)
  expect(readOnly.check('mount')).toMatchObject({
    state: 'problem',
    what: expect.stringContaining('read-only'),
  })
  expect(readOnly.check('writing').what).toContain('read-only')
  execFileSync('mount', ['-o', 'remount,rw,noexec', folder])
  const noexec = await askDoctor(ground)
  expect(noexec.error?.message).toBe('1 problem: mount')
  expect(noexec.check('mount').what).toContain('noexec')
})

test('a folder of the volume under a mount point of its own', async () => {
  const { ground } = await groundOnSmall(512 << 10)
  const { volume } = ground
  const bind = (folder: string) => {
    mkdirSync(folder, { recursive: true })
    execFileSync('mount', ['--bind', folder, folder])
    onTestFinished(() => void execFileSync('umount', [folder]))
  }
  bind(join(volume, 'envs'))
  const { check, error } = await askDoctor(ground)
  expect(error?.message).toBe('1 problem: one mount')
  expect(check('one mount').what).toMatch(/^envs: under another mount point/)
  bind(join(volume, 'blobs/aa'))
  expect((await askDoctor(ground)).check('one mount').what).toMatch(/^envs, blobs\/aa: /)
})

test('a folder of the volume that a link leads to another file system', async () => {
  const ground = await groundWithVolume()
  const elsewhere = smallFileSystem(64)
  execFileSync('rmdir', [join(ground.volume, 'envs')])
  execFileSync('ln', ['-s', elsewhere, join(ground.volume, 'envs')])
  expect((await askDoctor(ground)).check('one mount').what).toMatch(/^envs: /)
})

test.each([
  ['hard-links', 'hard links', 'does not permit linking'],
  ['locks', 'locks', 'can be locked'],
  ['lock-conflicts', 'locks', 'two hold one lock'],
])('without %s: %s are a problem', async (missing, name, what) => {
  const ground = await groundWithVolume()
  const { status, check, names } = await askDoctor(ground, {
    under: [anyInterpreter(), fixture('without.py'), missing],
  })
  expect(status).toBe(1)
  expect(names('problem')).toEqual([name])
  expect(check(name)).toMatchObject({ state: 'problem', what: expect.stringContaining(what) })
  expect(readdirSync(join(ground.volume, 'staging'))).toEqual([])
})

test('a file system that allows few links is named with its number', async () => {
  const ground = await groundWithVolume()
  const { check, status } = await askDoctor(ground, { env: { ENVD_LINK_LIMIT: '177' } })
  expect(check('hard links')).toMatchObject({ state: 'warning', what: expect.stringContaining('177 names') })
  expect(status).toBe(0)
})

test.each([
  [10_000, 'warning', '10 s behind'],
  [-120_000, 'problem', '120 s ahead of'],
])('a clock that is %i ms off: %s', async (off, state, what) => {
  const ground = await groundWithVolume()
  const shift = join(temporaryFolder(), 'shift.cjs')
  writeFileSync(shift, `const now = Date.now\nDate.now = () => now() + ${off}\n`)
  const { check } = await askDoctor(ground, { env: { NODE_OPTIONS: `--require ${shift}` } })
  expect(check('clock')).toMatchObject({ state, what: expect.stringContaining(what) })
})

test('leases/ that others may not write to', async () => {
  const ground = await groundWithVolume()
  chmodSync(join(ground.volume, 'leases'), 0o755)
  expect((await askDoctor(ground)).check('leases')).toMatchObject({
    state: 'problem',
    what: expect.stringContaining('mode 755'),
    hint: `chmod 1777 ${join(ground.volume, 'leases')}`,
  })
})

test('another user learns whose it is, tries nothing, and has no problem', async () => {
  requireRoot()
  const ground = await groundWithVolume()
  const before = contentsOf(ground.volume)
  const user = ['--reuid', '1000', '--regid', '1000', '--clear-groups']
  const [command, ...call] = ['setpriv', ...user, process.execPath, readableEnvd(), 'doctor', '--json']
  const { PATH = '' } = process.env
  const env = { PATH, HOME: '/', ENVD_VOLUME: ground.volume, ENVD_PYTHON: readablePython() }
  const answer = spawnSync(command!, call, { cwd: '/', env, encoding: 'utf8' })
  const { status, check, names } = diagnosisOf(answer)
  expect(status).toBe(0)
  expect(check('owner')).toMatchObject({ state: 'warning', what: expect.stringContaining('belongs to') })
  expect(names('not checked')).toEqual(expect.arrayContaining(tried))
  expect(check('one mount').state).toBe('ok')
  expect(contentsOf(ground.volume)).toEqual(before)
})
