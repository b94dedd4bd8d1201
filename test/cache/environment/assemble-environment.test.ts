import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, renameSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { assembleEnvironment } from '../../../cache/environment/assemble-environment.ts'
import { stagingTree, treeFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { parseEnvironmentManifest } from '../../../src/tree/environment-manifest.ts'
import { unescapeName } from '../../../src/tree/escaped-name.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { childProgram } from '../support/child.ts'
import {
  type Content,
  type Contents,
  contentsOf,
  newSkeleton,
  sha256,
  skeleton,
  takeIn,
} from '../support/packages.ts'
import { newVolume, temporaryFolder } from '../support/temporary.ts'

const site = 'lib/python3.12/site-packages'

async function assemble(volume: Volume, packages: Awaited<ReturnType<typeof takeIn>>) {
  const staging = newSkeleton(volume)
  const result = await assembleEnvironment(volume, { staging, packages })
  return { ...result, tree: stagingTree(volume, staging) }
}

/** As contentsOf sees it. */
function expected(contents: Contents): Record<string, string> {
  const seen: Record<string, string> = {}
  const latin1 = (escaped: string) => Buffer.from(unescapeName(escaped)).toString('latin1')
  for (const [path, content] of Object.entries<Content>({ ...contents, [`${site}/.`]: '' })) {
    const parts = path.split('/')
    for (let end = 1; end < parts.length; end++) seen[parts.slice(0, end).join('/')] = '555 /'
    if (parts.at(-1) === '.') continue
    if (typeof content === 'string') seen[path] = `444 ${content}`
    else seen[path] = 'link' in content ? `-> ${latin1(content.link)}` : `555 ${content.script}`
  }
  return seen
}

const six: Contents = {
  [`${site}/six.py`]: 'six',
  [`${site}/six-1.dist-info/RECORD`]: 'record of six',
  'bin/six': { script: '#!/bin/sh' },
}
const odd: Contents = {
  [`${site}/odd/__init__.py`]: '',
  [`${site}/odd/Case.py`]: 'upper',
  [`${site}/odd/case.py`]: 'lower',
  [`${site}/odd/d\\xff/é\\x0a`]: 'not UTF-8',
  [`${site}/odd/ünï.py`]: 'is UTF-8',
  'share/odd/v1/data': 'data',
  'share/odd/latest': { link: 'v1' },
  'share/odd/odd': { link: '\\xfe' },
}

test('the tree is the skeleton and every package: same paths, contents, modes, links', async () => {
  const volume = newVolume()
  const packages = await takeIn(volume, { six, odd })
  const { tree, manifest, digest, ...counts } = await assemble(volume, packages)
  const seen = await contentsOf(tree)
  expect(seen).toEqual(expected({ ...skeleton, ...six, ...odd }))
  expect(lstatSync(tree).mode & 0o777).toBe(0o555)
  const count = (start: RegExp) => Object.values(seen).filter(what => start.test(what)).length
  expect(counts).toEqual({
    files: count(/^... [^/]|^444 $/),
    directories: count(/ \/$/),
    links: count(/^->/),
    apparentBytes: Object.values(seen)
      .filter(what => /^\d/.test(what) && !what.endsWith(' /'))
      .reduce((bytes, what) => bytes + what.length - 4, 0),
    conflicts: [],
    linkCopies: 0,
    diskBytes: blocksOfFolders(tree),
  })
  expect(treeDigest(manifest)).toBe(digest)
  const parsed = parseEnvironmentManifest(manifest)
  expect(parsed.packages).toEqual(
    ['odd', 'six'].map(name => ({ name, tree: packages.find(one => one.name === name)!.tree })),
  )
  expect(parsed.skeleton.map(({ path }) => path)).toEqual([
    ...['bin', 'bin/activate', 'bin/python', 'lib', 'lib/python3.12', site, 'lib64', 'pyvenv.cfg'],
  ])
})

test('files of packages are links to blobs, those of the skeleton are not', async () => {
  const volume = newVolume()
  const { tree } = await assemble(volume, await takeIn(volume, { six }))
  const inode = (path: string) => lstatSync(path).ino
  expect(inode(join(tree, site, 'six.py'))).toBe(inode(blobPath(volume, sha256('six'), false)))
  expect(inode(join(tree, 'bin/six'))).toBe(inode(blobPath(volume, sha256('#!/bin/sh'), true)))
  expect(lstatSync(join(tree, 'pyvenv.cfg')).nlink).toBe(1)
})

test('no packages; one package', async () => {
  const volume = newVolume()
  expect(await contentsOf((await assemble(volume, [])).tree)).toEqual(expected(skeleton))
  const { tree } = await assemble(volume, await takeIn(volume, { six }))
  expect(await contentsOf(tree)).toEqual(expected({ ...skeleton, ...six }))
})

test('the order of packages does not matter, what they hold does', async () => {
  const volume = newVolume()
  const packages = await takeIn(volume, { six, odd })
  const { digest } = await assemble(volume, packages)
  expect((await assemble(volume, packages.toReversed())).digest).toBe(digest)
  const [other] = await takeIn(newVolume(), { six: { ...six, [`${site}/six.py`]: 'other' } })
  expect(other!.tree).not.toBe(packages[0]!.tree)
  const another = newVolume()
  const changed = await takeIn(another, { six: { ...six, [`${site}/six.py`]: 'other' }, odd })
  expect((await assemble(another, changed)).digest).not.toBe(digest)
})

test('random packages: the tree is their union by the rule, whatever meets', async () => {
  const part = fc.constantFrom('a', 'b', 'A', 'é', '\\xff')
  const file = fc.oneof(
    fc.constantFrom('', 'x', 'y').map(content => content as string),
    fc.constantFrom('x', 'y').map(script => ({ script })),
    fc.constantFrom('t', '\\xfe').map(link => ({ link })),
  )
  // Folders and files have names of their own here; where they meet is another test.
  const path = fc
    .tuple(
      fc.array(
        part.map(name => `d${name}`),
        { maxLength: 2 },
      ),
      part,
    )
    .map(([folders, name]) => [...folders, name].join('/'))
  const contents = fc.dictionary(path, file, { maxKeys: 6 })
  const environment = fc.dictionary(fc.constantFrom('a', 'a-b', 'ab', 'b', 'z'), contents, { minKeys: 1 })
  await fc.assert(
    fc.asyncProperty(environment, async chosen => {
      const volume = newVolume()
      const { tree, conflicts, ...counts } = await assemble(volume, await takeIn(volume, chosen))
      const names = Object.keys(chosen).sort()
      const union: Contents = Object.assign({}, ...names.map(name => chosen[name]))
      const seen = await contentsOf(tree)
      expect(seen).toEqual(expected({ ...skeleton, ...union }))
      const owners = (path: string) => names.filter(name => path in chosen[name]!)
      const contested = Object.keys(union).filter(
        path => new Set(owners(path).map(name => JSON.stringify(chosen[name]![path]))).size > 1,
      )
      expect(conflicts.map(({ path }) => path).sort()).toEqual(contested.sort())
      for (const conflict of conflicts) {
        expect(conflict.owners).toEqual(owners(conflict.path))
        expect(conflict.winner).toBe(conflict.owners.at(-1))
      }
      const values = Object.values(seen)
      expect(counts.directories).toBe(values.filter(what => what === '555 /').length)
      expect(counts.links).toBe(values.filter(what => what.startsWith('->')).length)
      expect(counts.files + counts.links + counts.directories).toBe(values.length)
    }),
    { numRuns: 60 },
  )
})

test('a tree or a blob that is missing, or a tree that is damaged, is named', async () => {
  const volume = newVolume()
  const packages = await takeIn(volume, { six, odd })
  const blob = blobPath(volume, sha256('six'), false)
  const file = treeFile(volume, packages[0]!.tree)
  for (const [path, message] of [
    [blob, `${blob} is missing`],
    [file, `${file} is missing`],
  ] as const) {
    renameSync(path, `${path}.away`)
    await expect(assemble(volume, packages)).rejects.toMatchObject({ code: 'VOLUME_CORRUPT', message })
    renameSync(`${path}.away`, path)
  }
  chmodSync(file, 0o644)
  truncateSync(file, 40)
  await expect(assemble(volume, packages)).rejects.toMatchObject({
    code: 'VOLUME_CORRUPT',
    message: `${file} is not the tree its name says`,
  })
})

test('progress counts files and ends at all of them; an abort leaves with its reason', async () => {
  const volume = newVolume()
  const packages = await takeIn(volume, { six, odd })
  const seen: [number, number][] = []
  const onProgress = (done: number, total: number) => void seen.push([done, total])
  await assembleEnvironment(volume, { staging: newSkeleton(volume), packages, onProgress })
  expect(seen.at(-1)).toEqual([9, 9])
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)
  const aborted = assembleEnvironment(volume, { staging: newSkeleton(volume), packages, signal })
  await expect(aborted).rejects.toBe(reason)
  await expect(assemble({ ...volume, owned: false }, packages)).rejects.toMatchObject({
    code: 'VOLUME_NOT_OWNER',
  })
})

const assembler = await childProgram(`
  import { assembleEnvironment } from './cache/environment/assemble-environment.ts'
  import { stagingTree } from './cache/volume/layout.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  import { newSkeleton } from './test/cache/support/packages.ts'
  const volume = openVolume(args[0]!, { create: false })
  const staging = newSkeleton(volume)
  const result = await assembleEnvironment(volume, { staging, packages: JSON.parse(args[1]!) })
  say({ ...result, tree: stagingTree(volume, staging) })
`)

const ownVolume = await childProgram(`
  import { assembleEnvironment } from './cache/environment/assemble-environment.ts'
  import { stagingTree } from './cache/volume/layout.ts'
  import { openVolume } from './cache/volume/open-volume.ts'
  import { newSkeleton, takeIn } from './test/cache/support/packages.ts'
  const volume = openVolume(args[0]! + '/own', { create: true })
  const packages = await takeIn(volume, JSON.parse(args[1]!))
  const staging = newSkeleton(volume)
  const result = await assembleEnvironment(volume, { staging, packages })
  say({ ...result, tree: stagingTree(volume, staging) })
`)

test.each([{ uid: 1234 }, { umask: 0o077 }, { umask: 0o002 }])(
  'folders are sealed whoever makes them: %j',
  async options => {
    const folder = temporaryFolder()
    chmodSync(folder, 0o777)
    const child = ownVolume(options, folder, JSON.stringify({ six, odd }))
    const { tree, diskBytes } = (await child.next()) as { tree: string; diskBytes: number }
    expect(await contentsOf(tree)).toEqual(expected({ ...skeleton, ...six, ...odd }))
    expect(lstatSync(tree).mode & 0o7777).toBe(0o555)
    expect(diskBytes).toBe(blocksOfFolders(tree))
  },
)

test.each(['assemble:after-directories', 'assemble:after-links'])(
  'killed at %s, the next one makes it whole and blobs are what they were',
  async point => {
    const volume = newVolume()
    const packages = JSON.stringify(await takeIn(volume, { six, odd }))
    const child = assembler({ env: { ENVD_FAULT: point } }, volume.root, packages)
    expect(await child.ended).toMatchObject({ signal: 'SIGKILL' })
    const { tree } = (await assembler({}, volume.root, packages).next()) as { tree: string }
    expect(await contentsOf(tree)).toEqual(expected({ ...skeleton, ...six, ...odd }))
  },
)

test('processes that assemble the same packages at once, with a limit of links they all reach', async () => {
  const volume = newVolume()
  const empty: Contents = Object.fromEntries(
    Array.from({ length: 60 }, (_, file) => [`${site}/e${file}.py`, '']),
  )
  const packages = JSON.stringify(await takeIn(volume, { six, empty }))
  const env = { ENVD_LINK_LIMIT: '80' }
  const children = Array.from({ length: 4 }, () => assembler({ env }, volume.root, packages))
  const results = (await Promise.all(children.map(child => child.next()))) as {
    tree: string
    digest: string
  }[]
  for (const { tree, digest } of results) {
    expect(digest).toBe(results[0]!.digest)
    expect(await contentsOf(tree)).toEqual(expected({ ...skeleton, ...six, ...empty }))
    expect(lstatSync(join(tree, site, 'e0.py')).nlink).toBeLessThanOrEqual(90)
  }
})

test('the limit of links that the file system has, reached for real', async ({ skip }) => {
  const volume = newVolume()
  const type = execFileSync('stat', ['-f', '-c', '%T', volume.root], { encoding: 'utf8' }).trim()
  if (type !== 'ext2/ext3') skip(`ext4 allows 65,000 links; this is ${type}`)
  const names = Array.from({ length: 32_600 }, (_, file) => `${site}/e/${file}.py`)
  const packages = await takeIn(volume, { empty: Object.fromEntries(names.map(name => [name, ''])) })
  const blob = blobPath(volume, sha256(''), false)
  const first = await assemble(volume, packages)
  const { ino } = lstatSync(blob)
  const second = await assemble(volume, packages)
  expect([first.linkCopies, second.linkCopies]).toEqual([0, 1])
  expect(first.digest).toBe(second.digest)
  expect(second.files).toBe(names.length + 2)
  const old = lstatSync(join(first.tree, names[0]!))
  // The blob's own name went to the copy.
  expect(old).toMatchObject({ ino, nlink: 64_999 })
  expect(lstatSync(blob).ino).not.toBe(ino)
  // Where it was taken in, both trees, and the blob.
  expect(old.nlink + lstatSync(blob).nlink).toBe(1 + 2 * names.length + 1)
})

/** Names need not be UTF-8. */
function blocksOfFolders(root: string): number {
  const blocks = execFileSync('find', [root, '-type', 'd', '-printf', '%b\n']).toString().trim().split('\n')
  return blocks.reduce((bytes, count) => bytes + Number(count) * 512, 0)
}
