import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sealTree } from '../../../../cache/environment/seal/seal-tree.ts'
import { treeDigest } from '../../../../src/tree/manifest.ts'
import { parseManifest } from '../../../../src/tree/parse-manifest.ts'
import { childProgram } from '../../support/child.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

function treeOf(files: Record<string, string | Buffer>): string {
  const root = join(temporaryFolder(), 'tree')
  mkdirSync(root)
  for (const [path, bytes] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), bytes)
  }
  return root
}

test('every file, folder and link is in the manifest, with what it is', async () => {
  const root = treeOf({ 'lib/a.py': 'print()', 'bin/run': '#!/bin/sh', empty: '' })
  chmodSync(join(root, 'bin/run'), 0o744)
  chmodSync(join(root, 'empty'), 0o600)
  mkdirSync(join(root, 'nothing in it'))
  symlinkSync('lib/a.py', join(root, 'to-file'))
  symlinkSync('/no/where', join(root, 'dangling'))
  symlinkSync('lib', join(root, 'to-folder'))
  const sealed = await sealTree(root)
  expect(parseManifest(sealed.manifest)).toEqual([
    { kind: 'directory', path: 'bin', mode: 0o555 },
    { kind: 'file', path: 'bin/run', mode: 0o555, size: 9, sha256: sha256('#!/bin/sh') },
    { kind: 'link', path: 'dangling', target: '/no/where' },
    { kind: 'file', path: 'empty', mode: 0o444, size: 0, sha256: sha256('') },
    { kind: 'directory', path: 'lib', mode: 0o555 },
    { kind: 'file', path: 'lib/a.py', mode: 0o444, size: 7, sha256: sha256('print()') },
    { kind: 'directory', path: 'nothing in it', mode: 0o555 },
    { kind: 'link', path: 'to-file', target: 'lib/a.py' },
    { kind: 'link', path: 'to-folder', target: 'lib' },
  ])
  expect(sealed).toMatchObject({
    files: 3,
    directories: 3,
    links: 3,
    apparentBytes: 16,
    digest: treeDigest(sealed.manifest),
  })
  const mode = (path: string) => lstatSync(join(root, path)).mode & 0o7777
  expect([mode(''), mode('bin'), mode('bin/run'), mode('empty'), mode('lib/a.py')]).toEqual([
    0o555, 0o555, 0o555, 0o444, 0o444,
  ])
})

test('files of every size have the digest sha256sum gives them', async () => {
  const sizes = [0, 1, 4095, 262_143, 262_144, 262_145, 524_288, 4_194_304, 4_194_305, 9_000_001]
  const root = treeOf(Object.fromEntries(sizes.map(size => [`f${size}`, randomBytes(size)])))
  for (let count = 0; count < 400; count++) writeFileSync(join(root, `small-${count}`), randomBytes(count))
  const { manifest } = await sealTree(root)
  const ours = parseManifest(manifest).map(entry => entry.kind === 'file' && `${entry.sha256}  ${entry.path}`)
  const names = readdirSync(root).sort()
  expect(ours).toEqual(execFileSync('sha256sum', names, { cwd: root, encoding: 'utf8' }).trim().split('\n'))
})

test('names that are not UTF-8, and folders of such names', async () => {
  const root = treeOf({})
  const folder = Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xff])])
  mkdirSync(folder)
  writeFileSync(Buffer.concat([folder, Buffer.from('/é\n')]), 'x')
  symlinkSync(Buffer.from([0xfe]), Buffer.concat([folder, Buffer.from('/l')]))
  writeFileSync(join(root, 'back\\slash'), 'y')
  const { manifest } = await sealTree(root)
  expect(parseManifest(manifest)).toEqual([
    { kind: 'file', path: 'back\\x5cslash', mode: 0o444, size: 1, sha256: sha256('y') },
    { kind: 'directory', path: 'd\\xff', mode: 0o555 },
    { kind: 'link', path: 'd\\xff/l', target: '\\xfe' },
    { kind: 'file', path: 'd\\xff/é\\x0a', mode: 0o444, size: 1, sha256: sha256('x') },
  ])
  expect(lstatSync(folder).mode & 0o777).toBe(0o555)
})

test('the place of the tree is not in it: two copies have one digest, another byte has another', async () => {
  const files = { 'a/b': 'x', c: 'y' }
  const first = await sealTree(treeOf(files))
  expect((await sealTree(treeOf(files))).manifest).toBe(first.manifest)
  expect((await sealTree(treeOf({ ...files, c: 'z' }))).digest).not.toBe(first.digest)
})

test('sealing a sealed tree changes nothing', async () => {
  const root = treeOf({ 'a/b': 'x' })
  const first = await sealTree(root)
  const times = lstatSync(join(root, 'a/b')).ctimeMs
  expect((await sealTree(root)).manifest).toBe(first.manifest)
  expect(lstatSync(join(root, 'a/b')).ctimeMs).toBe(times)
})

test('an empty tree', async () => {
  expect(await sealTree(treeOf({}))).toMatchObject({
    manifest: 'envd tree 1\n',
    files: 0,
    directories: 0,
    apparentBytes: 0,
  })
})

test('pipes, sockets and devices are refused by name', async () => {
  const makers: Record<string, (path: string) => void | Promise<void>> = {
    'a named pipe': path => void execFileSync('mkfifo', [path]),
    'a device': path => void execFileSync('mknod', [path, 'c', '1', '3']),
    'a socket': async path => {
      const server = createServer()
      onTestFinished(() => void server.close())
      await new Promise<void>(done => server.listen(path, done))
    },
  }
  for (const [what, make] of Object.entries(makers)) {
    const root = treeOf({ 'lib/a': '' })
    await make(join(root, 'lib', 'odd'))
    await expect(sealTree(root)).rejects.toMatchObject({
      code: 'TREE_UNSUPPORTED',
      message: `lib/odd is ${what}`,
    })
  }
})

test('a tree its owner made unreadable, by an owner who is not root', async () => {
  const user = await childProgram(`
    import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
    import { sealTree } from './cache/environment/seal/seal-tree.ts'
    mkdirSync(args[0] + '/t/d', { recursive: true })
    writeFileSync(args[0] + '/t/d/f', 'x')
    chmodSync(args[0] + '/t/d/f', 0)
    chmodSync(args[0] + '/t/d', 0)
    const { files, directories } = await sealTree(args[0] + '/t')
    say({ files, directories })
  `)
  const folder = temporaryFolder()
  chmodSync(folder, 0o777)
  expect(await user({ uid: 1234 }, folder).next()).toEqual({ files: 1, directories: 1 })
})

test('progress is in bytes and ends at all of them', async () => {
  const root = treeOf({ a: Buffer.alloc(5_000_000), b: 'x' })
  const seen: [number, number][] = []
  await sealTree(root, { onProgress: (done, total) => seen.push([done, total]) })
  expect(seen.at(-1)).toEqual([5_000_001, 5_000_001])
  for (const [done, total] of seen) expect(done).toBeLessThanOrEqual(total)
})

test('an aborted seal throws the reason, and the process can end', async () => {
  const program = await childProgram(`
    import { sealTree } from './cache/environment/seal/seal-tree.ts'
    const abort = new AbortController()
    const reason = new Error('enough')
    const sealing = sealTree(args[0]!, { signal: abort.signal, onProgress: () => abort.abort(reason) })
    say(await sealing.then(() => 'done', error => error === reason))
    const before = sealTree(args[0]!, { signal: AbortSignal.abort(reason) })
    say(await before.then(() => 'done', error => error === reason))
  `)
  const root = treeOf(
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, randomBytes(1 << 20)])),
  )
  const child = program({}, root)
  expect(await child.next()).toBe(true)
  expect(await child.next()).toBe(true)
  expect(await child.ended).toMatchObject({ code: 0 })
})

test('a file that is written meanwhile is an error, not a wrong digest', async () => {
  const root = treeOf({ a: Buffer.alloc(64 << 20) })
  const program = await childProgram(`
    import { appendFileSync } from 'node:fs'
    import { sealTree } from './cache/environment/seal/seal-tree.ts'
    const sealing = sealTree(args[0]!)
    const timer = setInterval(() => appendFileSync(args[0] + '/a', 'x'), 1)
    say(await sealing.then(() => 'sealed', error => ({ code: error.code, message: error.message })))
    clearInterval(timer)
  `)
  expect(await program({}, root).next()).toEqual({
    code: 'IO',
    message: expect.stringContaining('something is writing it'),
  })
})
