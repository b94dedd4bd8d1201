import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { findPackage } from '../../../cache/package/find-package.ts'
import { sharedPaths } from '../../../cache/package/shared-paths.ts'
import { takeInPackages } from '../../../cache/package/take-in-package.ts'
import { packageFile, stagingFolder, treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { parseManifest } from '../../../src/tree/parse-manifest.ts'
import { childProgram } from '../support/child.ts'
import { install, newStaging, packageKeyOf, sha256, takeIn } from '../support/packages.ts'
import { newVolume } from '../support/temporary.ts'

const site = 'lib/python3.12/site-packages'
const treeOf = (volume: Volume, digest: string) => readFileSync(treeFile(volume, digest), 'utf8')

test('a package is a tree of blobs and a record, found by its key', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const [installed] = install(volume, staging, {
    six: {
      [`${site}/six.py`]: 'six',
      [`${site}/__pycache__/six.cpython-312.pyc`]: 'pyc!',
      [`${site}/six-1.dist-info/RECORD`]: 'record',
      'bin/six': { script: '#!/bin/sh' },
      'share/six/latest': { link: 'v1' },
    },
  })
  const uncompiled = [{ path: `${site}/bad.py`, reason: 'invalid syntax' }]
  expect(findPackage(volume, installed!.packageKey)).toBeNull()
  const { packages, digests } = await takeInPackages(volume, [{ ...installed!, uncompiled }], {
    staging,
  })
  const [record] = packages
  expect(record).toEqual({
    schemaVersion: 1,
    packageKey: installed!.packageKey,
    name: 'six',
    version: '1',
    tree: treeDigest(treeOf(volume, record!.tree)),
    files: 4,
    directories: 8,
    bytes: 22,
    bytecode: { files: 1, bytes: 4 },
    uncompiled,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  })
  expect(findPackage(volume, installed!.packageKey)).toEqual(record)
  const directory = (path: string) => ({ kind: 'directory', path, mode: 0o555 })
  const file = (path: string, content: string, mode = 0o444) => ({
    kind: 'file',
    ...{ path, mode },
    size: content.length,
    sha256: sha256(content),
  })
  expect(parseManifest(treeOf(volume, record!.tree))).toEqual([
    directory('bin'),
    file('bin/six', '#!/bin/sh', 0o555),
    directory('lib'),
    directory('lib/python3.12'),
    directory(site),
    directory(`${site}/__pycache__`),
    file(`${site}/__pycache__/six.cpython-312.pyc`, 'pyc!'),
    directory(`${site}/six-1.dist-info`),
    file(`${site}/six-1.dist-info/RECORD`, 'record'),
    file(`${site}/six.py`, 'six'),
    directory('share'),
    directory('share/six'),
    { kind: 'link', path: 'share/six/latest', target: 'v1' },
  ])
  const { ino } = lstatSync(join(installed!.root, site, 'six.py'))
  expect(digests.get(ino)).toBe(sha256('six'))
  expect(lstatSync(blobPath(volume, sha256('six'), false)).ino).toBe(ino)
  expect(readdirSync(stagingFolder(volume, staging))).toHaveLength(1)
})

test('the tree is of the package alone: neither the order nor its neighbours nor the place are in it', async () => {
  const contents = { [`${site}/a.py`]: 'a', [`${site}/b.py`]: 'b' }
  const [one] = await takeIn(newVolume(), { a: contents })
  const reversed = Object.fromEntries(Object.entries(contents).reverse())
  const records = await takeIn(newVolume(), { z: { [`${site}/z.py`]: 'z' }, a: reversed })
  expect(records[1]!.tree).toBe(one!.tree)
})

test('names that are not UTF-8, that differ in case, and paths through a symbolic link', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const [installed] = install(volume, staging, {
    odd: { 'lib/d\\xff/é\\x0a': '1', 'lib/Case.py': '2', 'lib/case.py': '3', 'lib/to': { link: '\\xfe' } },
  })
  symlinkSync('lib', join(installed!.root, 'lib64'))
  writeFileSync(join(installed!.root, 'lib', 'through.py'), '4')
  const paths = [...installed!.paths, 'lib64/through.py', 'lib64']
  const { packages } = await takeInPackages(volume, [{ ...installed!, paths }], { staging })
  expect(parseManifest(treeOf(volume, packages[0]!.tree)).map(({ kind, path }) => `${kind} ${path}`)).toEqual(
    [
      'directory lib',
      'file lib/Case.py',
      'file lib/case.py',
      'directory lib/d\\xff',
      'file lib/d\\xff/é\\x0a',
      'file lib/through.py',
      'link lib/to',
      'link lib64',
    ],
  )
})

test('what is not as expected is refused: every such package is named, and none is known', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const contents = { 'lib/whole.py': 'whole', 'lib/cut.py': '' }
  const installed = install(volume, staging, { a: contents, b: contents, c: contents })
  const expected = new Map([['lib/whole.py', sha256('whole')]])
  const cut = new Map([...expected, ['lib/cut.py', sha256('cut')]])
  const expecting = installed.map((one, index) => ({ ...one, expected: index === 1 ? expected : cut }))
  await expect(takeInPackages(volume, expecting, { staging })).rejects.toMatchObject({
    code: 'PACKAGE_DAMAGED',
    details: { packages: ['a', 'c'], files: ['lib/cut.py', 'lib/cut.py'] },
  })
  for (const name of ['a', 'b', 'c']) expect(findPackage(volume, packageKeyOf(name))).toBeNull()
  const { packages } = await takeInPackages(volume, [expecting[1]!], { staging })
  expect(packages.map(({ name }) => name)).toEqual(['b'])
})

test('what is listed and not there, outside, or no file is refused by name', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const [installed] = install(volume, staging, { a: { 'lib/a.py': 'a' } })
  symlinkSync('/etc', join(installed!.root, 'etc'))
  execFileSync('mkfifo', [join(installed!.root, 'pipe')])
  const refused: [string, string][] = [
    ['lib/b.py', 'is not there'],
    ['no/b.py', 'is not there'],
    ['../a', 'lies outside'],
    ['lib/../../a', 'lies outside'],
    ['/etc/passwd', 'lies outside'],
    ['etc/passwd', 'lies outside'],
    ['pipe', 'is no file'],
  ]
  for (const [path, why] of refused) {
    const taking = takeInPackages(volume, [{ ...installed!, paths: ['lib/a.py', path] }], { staging })
    await expect(taking, path).rejects.toMatchObject({
      code: path === 'pipe' ? 'TREE_UNSUPPORTED' : 'CLOSURE_NOT_INSTALLED',
      message: expect.stringMatching(`a 1 lists, ${why}`),
    })
  }
  expect(findPackage(volume, installed!.packageKey)).toBeNull()
})

test('packages that share a file in one virtualenv are refused: one of them has the content of the other', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const [a] = install(volume, staging, { a: { 'lib/a.py': 'a', 'lib/both.py': 'whose?' } })
  const b = { ...a!, name: 'b', packageKey: packageKeyOf('b'), paths: ['lib/both.py'] }
  expect(sharedPaths([a!, b])).toEqual([{ path: 'lib/both.py', owners: ['a', 'b'] }])
  await expect(takeInPackages(volume, [a!, b], { staging })).rejects.toMatchObject({
    message: expect.stringContaining('a and b share lib/both.py'),
  })
  const [apart] = install(volume, staging, { b: { 'lib/both.py': 'mine' } })
  expect(sharedPaths([a!, apart!])).toEqual([])
  expect((await takeInPackages(volume, [a!, apart!], { staging })).packages).toHaveLength(2)
})

test('a record that lies under another key is not believed', async () => {
  const volume = newVolume()
  await takeIn(volume, { a: { 'lib/a.py': 'a' } })
  const other = packageFile(volume, packageKeyOf('b'))
  mkdirSync(dirname(other), { recursive: true })
  copyFileSync(packageFile(volume, packageKeyOf('a')), other)
  expect(findPackage(volume, packageKeyOf('b'))).toBeNull()
})

test('of two that bring one package the first wins', async () => {
  const volume = newVolume()
  const [first] = await takeIn(volume, { a: { 'lib/a.py': 'first' } })
  const [second] = await takeIn(volume, { a: { 'lib/a.py': 'second' } })
  expect(second).toEqual(first)
})

test.each(['', '{', 'null', '{"schemaVersion":2}'])(
  'a damaged record (%j) or tree counts as none and is replaced',
  async text => {
    const volume = newVolume()
    const contents = { a: { 'lib/a.py': 'a' } }
    const [record] = await takeIn(volume, contents)
    const files = [packageFile(volume, packageKeyOf('a')), treeFile(volume, record!.tree)]
    for (const file of files) {
      rmSync(file)
      writeFileSync(file, text)
    }
    expect(findPackage(volume, packageKeyOf('a'))).toBeNull()
    const [again] = await takeIn(volume, contents)
    expect(again!.tree).toBe(record!.tree)
    expect(findPackage(volume, packageKeyOf('a'))).toEqual(again)
    expect(treeDigest(treeOf(volume, record!.tree))).toBe(record!.tree)
  },
)

const taker = await childProgram(`
  import { findPackage } from './cache/package/find-package.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  import { packageKeyOf, takeIn } from './test/cache/support/packages.ts'
  const volume = openVolume(args[0]!, { create: false })
  const contents = Object.fromEntries(Array.from({ length: 50 }, (_, file) => ['lib/' + file + '.py', 'x'.repeat(file)]))
  await takeIn(volume, { a: contents, b: { 'lib/b.py': 'b' } })
  say([findPackage(volume, packageKeyOf('a')), findPackage(volume, packageKeyOf('b'))].map(record => record!.tree))
`)

test.each(['take-in:after-blobs', 'take-in:after-trees'])(
  'killed at %s: no record, and the next one takes in the same',
  async point => {
    const volume = newVolume()
    const whole = await taker({}, newVolume().root).next()
    expect(await taker({ env: { ENVD_FAULT: point } }, volume.root).ended).toMatchObject({
      signal: 'SIGKILL',
    })
    expect(findPackage(volume, packageKeyOf('a'))).toBeNull()
    expect(existsSync(blobPath(volume, sha256('b'), false))).toBe(true)
    expect(await taker({}, volume.root).next()).toEqual(whole)
  },
)

test('processes that take in the same at once agree', async () => {
  const volume = newVolume()
  const children = Array.from({ length: 4 }, () => taker({}, volume.root))
  const results = await Promise.all(children.map(child => child.next()))
  for (const result of results) expect(result).toEqual(results[0])
  const kept = execFileSync('find', [join(volume.root, 'blobs'), '-type', 'f'], { encoding: 'utf8' })
  expect(kept.trim().split('\n')).toHaveLength(51)
})

test('whatever the umask, other users read what is in the store', async () => {
  const volume = newVolume()
  await taker({ umask: 0o077 }, volume.root).next()
  const found = execFileSync('find', ['blobs', 'trees', 'packages', '-printf', '%m %y\n'], {
    cwd: volume.root,
    encoding: 'utf8',
  })
  expect(new Set(found.trim().split('\n'))).toEqual(new Set(['755 d', '444 f']))
})
