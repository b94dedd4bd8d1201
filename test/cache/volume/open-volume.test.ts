import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openVolume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import { anyInterpreter } from '../../fixture/interpreter.ts'
import { childProgram, requireRoot } from '../support/child.ts'
import { codeOf, newVolume, smallFileSystem, temporaryFolder } from '../support/temporary.ts'

const creator = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  try { say(openVolume(args[0]!, { create: true })) } catch (error) { say({ code: error.code, message: error.message }) }
`)

test('a new volume is made where its parent exists, and opened again as the same', () => {
  const root = join(temporaryFolder(), 'v')
  const made = openVolume(root, { create: true })
  expect(made).toEqual({ root, id: made.id, layout: 1, owner: process.geteuid!(), owned: true })
  expect(JSON.parse(readFileSync(join(root, 'VERSION'), 'utf8'))).toEqual({ layout: 1, id: made.id })
  expect(openVolume(root, { create: false })).toEqual(made)
  expect(openVolume(root, { create: true })).toEqual(made)
  expect(readdirSync(root).filter(name => name.startsWith('.'))).toEqual([])
})

test('an empty folder, or a new file system with lost+found, becomes a volume', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'lost+found'))
  expect(openVolume(root, { create: true }).root).toBe(root)
})

test('missing parents are made only when asked', () => {
  const root = join(temporaryFolder(), 'a', 'b', 'v')
  expect(codeOf(() => openVolume(root, { create: true }))).toBe('VOLUME_PARENT_MISSING')
  expect(openVolume(root, { create: true, makeParents: true }).root).toBe(root)
})

test('nothing is made unless asked', () => {
  const folder = temporaryFolder()
  expect(codeOf(() => openVolume(join(folder, 'v'), { create: false }))).toBe('VOLUME_NOT_FOUND')
  expect(codeOf(() => openVolume(folder, { create: false }))).toBe('VOLUME_NOT_FOUND')
  expect(readdirSync(folder)).toEqual([])
})

test.each([true, false])(
  "a folder that holds somebody's files is refused and left alone (create: %s)",
  create => {
    for (const names of [['notes.txt'], ['envs', 'notes.txt'], ['logs']]) {
      const root = temporaryFolder()
      for (const name of names) mkdirSync(join(root, name))
      expect(
        codeOf(() => openVolume(root, { create })),
        names.join(),
      ).toBe('VOLUME_FOREIGN')
      expect(readdirSync(root)).toEqual(names)
    }
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    expect(['VOLUME_FOREIGN', 'IO']).toContain(codeOf(() => openVolume(file, { create })))
  },
)

test.each([
  ['{"layout":2,"id":"ID"}', 'VOLUME_NEWER'],
  ['{"layout":0,"id":"ID"}', 'VOLUME_OLDER'],
  ['{"layout":1,"id":"ID","removing":true}', 'VOLUME_BUSY'],
  ['{"layout":"1","id":"ID"}', 'VOLUME_CORRUPT'],
  ['{"layout":1.5,"id":"ID"}', 'VOLUME_CORRUPT'],
  ['{"layout":1}', 'VOLUME_CORRUPT'],
  ['{"layout":1,"id":"../../etc"}', 'VOLUME_CORRUPT'],
  ['{"layout":1,', 'VOLUME_CORRUPT'],
  ['', 'VOLUME_CORRUPT'],
  ['null', 'VOLUME_CORRUPT'],
])('VERSION %s: %s', (text, code) => {
  const { root, id } = newVolume()
  writeFileSync(join(root, 'VERSION'), text.replace('ID', id))
  expect(codeOf(() => openVolume(root, { create: true }))).toBe(code)
})

test('a VERSION that is a folder is corrupt', () => {
  const { root } = newVolume()
  rmSync(join(root, 'VERSION'))
  mkdirSync(join(root, 'VERSION'))
  expect(codeOf(() => openVolume(root, { create: true }))).toBe('VOLUME_CORRUPT')
})

test('whatever the umask, any user can reach an environment and take a lease', async () => {
  const root = join(temporaryFolder(), 'a')
  expect(await creator({ umask: 0o077 }, root).next()).toMatchObject({ root })
  for (const name of ['', 'envs', 'staging', 'uv', 'facts', 'locks']) {
    expect((statSync(join(root, name)).mode & 0o7777).toString(8), name).toBe('755')
  }
  expect((statSync(join(root, 'leases')).mode & 0o7777).toString(8)).toBe('1777')
  expect((statSync(join(root, 'VERSION')).mode & 0o777).toString(8)).toBe('644')
})

test('a folder made private beforehand is opened to others', () => {
  const root = join(temporaryFolder(), 'private')
  mkdirSync(root, { mode: 0o700 })
  openVolume(root, { create: true })
  expect(statSync(root).mode & 0o777).toBe(0o755)
})

test('processes that create at once end up with one volume', async () => {
  for (let round = 0; round < 3; round++) {
    const root = join(temporaryFolder(), 'v')
    const children = Array.from({ length: 6 }, () => creator({}, root))
    const volumes = await Promise.all(children.map(child => child.next()))
    const { id } = openVolume(root, { create: false })
    expect(volumes).toEqual(volumes.map(() => expect.objectContaining({ id })))
    expect(readdirSync(root).filter(name => name.startsWith('.'))).toEqual([])
  }
})

test.each(['volume:before-claim', 'volume:after-claim', 'volume:after-folders', 'volume:after-version'])(
  'killed at %s, the next one makes or finds it whole',
  async point => {
    const root = join(temporaryFolder(), 'v')
    expect(await creator({ env: { ENVD_FAULT: point } }, root).ended).toMatchObject({ signal: 'SIGKILL' })
    expect(existsSync(join(root, 'VERSION'))).toBe(point === 'volume:after-version')
    const volume = openVolume(root, { create: true })
    expect(readdirSync(root)).toEqual(
      expect.arrayContaining(['VERSION', 'envs', 'leases', 'locks', 'staging']),
    )
    expect(openVolume(root, { create: false }).id).toBe(volume.id)
  },
)

test('while one pauses in the middle, another makes the volume and both have it', async () => {
  const root = join(temporaryFolder(), 'v')
  const slow = creator({ env: { ENVD_FAULT: 'volume:after-folders:pause' } }, root)
  while (!existsSync(join(root, 'leases', '.fence'))) await setTimeout(5)
  const { id } = openVolume(root, { create: true })
  expect(await slow.next()).toMatchObject({ id })
})

test('another user opens it and is told who may write', async () => {
  requireRoot()
  const volume = newVolume()
  const seen = await creator({ uid: 1234 }, volume.root).next()
  expect(seen).toEqual({ ...volume, owned: false })
  requireOwner(volume)
  try {
    requireOwner({ ...volume, owner: 54_321, owned: false })
    expect.fail()
  } catch (error) {
    expect(error).toMatchObject({
      code: 'VOLUME_NOT_OWNER',
      message: expect.stringMatching(/uid 54321.*root \(uid 0\)/),
    })
  }
})

test("root is not the owner of another user's volume", async () => {
  requireRoot()
  const folder = temporaryFolder()
  chownSync(folder, 1234, 1234)
  const root = join(folder, 'v')
  expect(await creator({ uid: 1234 }, root).next()).toMatchObject({ owner: 1234, owned: true })
  expect(openVolume(root, { create: true })).toMatchObject({ owner: 1234, owned: false })
})

test('a read-only file system and a full one have their own errors', () => {
  const full = smallFileSystem(16)
  try {
    writeFileSync(join(full, 'filler'), Buffer.alloc(1 << 20))
  } catch {}
  expect(codeOf(() => openVolume(join(full, 'v'), { create: true }))).toBe('DISK_FULL')

  const mount = smallFileSystem(256)
  const existing = openVolume(join(mount, 'v'), { create: true })
  execFileSync('mount', ['-o', 'remount,ro', mount])
  expect(codeOf(() => openVolume(join(mount, 'w'), { create: true }))).toBe('VOLUME_READ_ONLY')
  expect(openVolume(existing.root, { create: true }).id).toBe(existing.id)
})

test('a file system without hard links is refused, and nothing stays behind', async () => {
  const script = fileURLToPath(new URL('../../fixture/without.py', import.meta.url))
  const root = temporaryFolder()
  const child = creator({ under: [anyInterpreter(), script, 'hard-links'] }, root)
  expect(await child.next()).toMatchObject({ code: 'VOLUME_NO_HARD_LINKS' })
  expect(readdirSync(root)).toEqual([])
})
