import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { verifyStore } from '../../../cache/verify/verify-store.ts'
import { pythonFolder, pythonTree, treeFile } from '../../../cache/volume/layout.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { childProgram } from '../support/child.ts'
import { takeIn } from '../support/store.ts'
import { newVolume } from '../support/temporary.ts'
import { madeFiles, takeInMade } from './support/made-python.ts'

const modeOf = (path: string) => lstatSync(path).mode & 0o7777

test('a tree of hard links to blobs, sealed, with its record and manifest beside it', async () => {
  const volume = newVolume()
  const { record, published } = await takeInMade(volume)
  expect(published).toBe(true)
  const folder = pythonFolder(volume, record.digest)
  expect(readdirSync(folder).sort()).toEqual(['manifest', 'python.json', 'tree'])
  const tree = pythonTree(volume, record.digest)
  for (const [marked, content] of Object.entries(madeFiles)) {
    const place = join(tree, marked.replace(/^\*/, ''))
    const executable = marked.startsWith('*')
    const stats = lstatSync(place)
    expect(readFileSync(place, 'utf8')).toBe(content)
    expect(stats.mode & 0o7777).toBe(executable ? 0o555 : 0o444)
    expect(stats.mtimeMs).toBe(STORE_MTIME * 1000)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect(lstatSync(blobPath(volume, sha256, executable)).ino).toBe(stats.ino)
  }
  expect(readlinkSync(join(tree, 'bin', 'python3'))).toBe('python3.12')
  for (const path of ['', 'bin', 'lib/python3.12/__pycache__']) expect(modeOf(join(tree, path))).toBe(0o555)
  expect([modeOf(folder), modeOf(join(folder, 'python.json'))]).toEqual([0o755, 0o444])
  const manifest = readFileSync(join(folder, 'manifest'), 'utf8')
  expect(createHash('sha256').update(manifest).digest('hex')).toBe(record.digest)
  expect(readFileSync(treeFile(volume, record.digest), 'utf8')).toBe(manifest)
  expect(listPythons(volume)).toEqual([record])
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})

test('contents that the store has are linked to its blobs, and not kept twice', async () => {
  const volume = newVolume()
  await takeIn(volume, { one: { 'one.py': 'import sys\n' } })
  const { record } = await takeInMade(volume)
  const sha256 = createHash('sha256').update('import sys\n').digest('hex')
  const there = lstatSync(join(pythonTree(volume, record.digest), 'lib/python3.12/os.py'))
  expect(there.ino).toBe(lstatSync(blobPath(volume, sha256, false)).ino)
})

test('the same tree again is the one that is there, with its first record', async () => {
  const volume = newVolume()
  const first = await takeInMade(volume, { importedFrom: 'here' })
  const second = await takeInMade(volume, { importedFrom: 'there' })
  expect(second).toEqual({ record: first.record, published: false })
  expect(listPythons(volume)).toEqual([first.record])
})

test.each<[string, (folder: string) => void]>([
  ['has no record', folder => rmSync(join(folder, 'python.json'))],
  [
    'has a damaged one',
    folder => {
      rmSync(join(folder, 'python.json'))
      writeFileSync(join(folder, 'python.json'), '{')
    },
  ],
])('one that %s makes room for the same tree', async (_, damage) => {
  const volume = newVolume()
  const first = await takeInMade(volume)
  damage(pythonFolder(volume, first.record.digest))
  expect(await takeInMade(volume)).toEqual({ record: first.record, published: true })
  expect(listPythons(volume)).toEqual([first.record])
})

test('verification knows what it finds: nothing is foreign, and every content is needed', async () => {
  const volume = newVolume()
  await takeInMade(volume)
  const { findings, checked } = await verifyStore(volume, { environments: null, quick: false })
  expect(findings).toEqual([])
  expect(checked.blobs).toBe(Object.keys(madeFiles).length)
})

const importer = await childProgram(`
  import { openVolume } from './cache/volume/open-volume.ts'
  import { takeInMade } from './test/cache/python/support/made-python.ts'
  const { record } = await takeInMade(openVolume(args[0]!, { create: false }))
  say(record.digest)
`)

test('whatever the umask, any user reads all of it', async () => {
  const volume = newVolume()
  const digest = await importer({ umask: 0o077 }, volume.root).next()
  const tree = pythonTree(volume, String(digest))
  for (const path of ['.', '..', '../..', 'bin', 'lib/python3.12']) {
    expect(modeOf(join(tree, path)) & 0o555, path).toBe(0o555)
  }
  for (const path of ['../python.json', '../manifest', 'lib/python3.12/os.py']) {
    expect(modeOf(join(tree, path)), path).toBe(0o444)
  }
})

test.each(['python:before-sync', 'python:before-rename'])('killed at %s, nothing is visible', async point => {
  const volume = newVolume()
  const { signal } = await importer({ env: { ENVD_FAULT: point } }, volume.root).ended
  expect(signal).toBe('SIGKILL')
  expect(listPythons(volume)).toEqual([])
  expect(readdirSync(join(volume.root, 'pythons'))).toEqual([])
  expect((await takeInMade(volume)).published).toBe(true)
})

test('killed after the rename, all of it is there', async () => {
  const volume = newVolume()
  const { signal } = await importer({ env: { ENVD_FAULT: 'python:after-rename' } }, volume.root).ended
  expect(signal).toBe('SIGKILL')
  expect(listPythons(volume)).toHaveLength(1)
  expect((await takeInMade(volume)).published).toBe(false)
})

test('two at once: one is published, both are told of it', async () => {
  const volume = newVolume()
  const both = await Promise.all([importer({}, volume.root).next(), importer({}, volume.root).next()])
  expect(new Set(both).size).toBe(1)
  expect(listPythons(volume)).toHaveLength(1)
  expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
})
