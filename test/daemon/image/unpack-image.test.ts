import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rootedPath } from '../../../daemon/image/prove/rooted-path.ts'
import { unpackImage } from '../../../daemon/image/prove/unpack-image.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type Entry, makeLayer } from '../../fixture/image/image-layers.ts'

const signal = new AbortController().signal

/** Unpacks layers beside a folder that must stay as it is; returns the root. */
async function unpack(...layers: readonly (readonly Entry[] | Buffer)[]): Promise<string> {
  const folder = temporaryFolder()
  const outside = join(folder, 'outside')
  const root = join(folder, 'root')
  for (const path of [outside, root]) mkdirSync(path)
  writeFileSync(join(outside, 'kept'), 'as it was')
  const files = await Promise.all(
    layers.map(async (layer, index) => {
      const path = join(folder, `layer-${index}`)
      writeFileSync(path, Buffer.isBuffer(layer) ? layer : await makeLayer(layer))
      return path
    }),
  )
  await unpackImage(files, root, signal)
  expect(readdirSync(outside)).toEqual(['kept'])
  expect(readFileSync(join(outside, 'kept'), 'utf8')).toBe('as it was')
  return root
}

const file = (name: string, content = name): Entry => ({ name, content })
const link = (name: string, linkname: string): Entry => ({ name, type: 'symlink', linkname })

test('later layers replace, hide and empty what is in lower ones, and not what is their own', async () => {
  const root = await unpack(
    [file('a/one'), file('a/two'), file('b/one'), file('b/deep/two'), file('c/one'), file('d', 'file')],
    [
      file('a/.wh.one', ''),
      file('b/new'),
      file('b/.wh..wh..opq', ''),
      file('.wh.c', ''),
      { name: 'd', type: 'directory' },
      file('d/inside'),
    ],
    [file('a/one', 'again')],
  )
  expect(readdirSync(root).sort()).toEqual(['a', 'b', 'd'])
  expect(readdirSync(join(root, 'a')).sort()).toEqual(['one', 'two'])
  expect(readFileSync(join(root, 'a/one'), 'utf8')).toBe('again')
  expect(readdirSync(join(root, 'b'))).toEqual(['new'])
  expect(readdirSync(join(root, 'd'))).toEqual(['inside'])
})

test('a symlink of a lower layer is followed inside the image, never out of it', async () => {
  const outside = join(temporaryFolder(), 'target')
  mkdirSync(outside)
  const root = await unpack(
    [
      { name: 'usr/lib', type: 'directory' },
      link('lib', 'usr/lib'),
      link('trap', outside),
      link('up', '../../../../../../outside'),
      link('loop', 'loop'),
      link('kept', '/outside/kept'),
    ],
    [
      file('lib/libc.so'),
      file('trap/stolen'),
      file('up/stolen'),
      file('loop/nothing'),
      file('../../outside/stolen'),
      file('/absolute'),
      file('kept', 'a file of its own'),
      { name: 'hard', type: 'link', linkname: '../outside/kept' },
    ],
  )
  expect(readFileSync(join(root, 'usr/lib/libc.so'), 'utf8')).toBe('lib/libc.so')
  expect(readlinkSync(join(root, 'lib'))).toBe('usr/lib')
  expect(readdirSync(outside)).toEqual([])
  expect(existsSync(join(root, outside, 'stolen'))).toBe(true)
  expect(readdirSync(join(root, 'outside')).sort()).toEqual(['stolen'])
  expect(existsSync(join(root, 'absolute'))).toBe(true)
  expect(lstatSync(join(root, 'kept')).isFile()).toBe(true)
  expect(existsSync(join(root, 'hard'))).toBe(false)
})

test('a whiteout through a symlink takes nothing outside', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'kept'), '')
  await unpack([link('trap', folder)], [file('trap/.wh.kept', ''), file('trap/.wh..wh..opq', '')])
  await unpack([link('trap', folder)], [file('.wh.trap', '')])
  expect(readdirSync(folder)).toEqual(['kept'])
})

test('nothing is set-uid, devices are left out, folders can be entered', async () => {
  const root = await unpack([
    { name: 'su', mode: 0o4755, content: 'x' },
    { name: 'closed', type: 'directory', mode: 0o000 },
    file('closed/inside'),
    { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 },
    { name: 'pipe', type: 'fifo' },
    { name: 'hard', type: 'link', linkname: 'su' },
  ])
  expect(lstatSync(join(root, 'su')).mode & 0o7777).toBe(0o755)
  expect(lstatSync(join(root, 'hard')).ino).toBe(lstatSync(join(root, 'su')).ino)
  expect(readdirSync(root).sort()).toEqual(['closed', 'hard', 'su'])
})

test('layers are plain, gzipped or compressed by zstd', async () => {
  const tar = await makeLayer([file('big', 'x'.repeat(300_000))])
  // `zstd --format=zstd` of that tar is made here: a raw frame holds what it compresses (RFC 8878, section 3.1.1).
  for (const layer of [tar, gzipSync(tar), zstdFrame(tar)]) {
    expect(readFileSync(join(await unpack(layer), 'big')).length).toBe(300_000)
  }
})

test('a layer that is cut off is an error', async () => {
  const tar = await makeLayer([file('big', 'x'.repeat(300_000))])
  for (const layer of [gzipSync(tar), zstdFrame(tar)]) {
    await expect(unpack(layer.subarray(0, layer.length - 100))).rejects.toThrow()
  }
})

test('what is unpacked is what the layers say, whatever they do', async () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map(parts => parts.join('/'))
  const action = fc.record({ kind: fc.constantFrom('file', 'folder', 'remove', 'empty'), path })
  const layer = fc.uniqueArray(action, { maxLength: 6, selector: ({ path }) => path })
  await fc.assert(
    fc.asyncProperty(fc.array(layer, { maxLength: 4 }), async layers => {
      const model = new Map<string, string>()
      for (const actions of layers) apply(model, actions)
      const root = await unpack(...layers.map(actions => ordered(actions).map(entryOf)))
      expect(treeOf(root)).toEqual(new Map([...model].sort()))
    }),
    { numRuns: 150 },
  )
})

test('a path of the image is found as the image sees it', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'usr/bin'), { recursive: true })
  writeFileSync(join(root, 'usr/bin/python3.11'), '')
  symlinkSync('usr/bin', join(root, 'bin'))
  symlinkSync('/usr/bin/python3.11', join(root, 'usr/bin/python3'))
  symlinkSync('/etc/hostname', join(root, 'host'))
  expect(rootedPath(root, '/bin/python3')).toBe(join(root, 'usr/bin/python3.11'))
  expect(rootedPath(root, '../../bin/../bin/python3')).toBe(join(root, 'usr/bin/python3.11'))
  expect(rootedPath(root, '/host')).toBeNull()
})

interface Action {
  readonly kind: string
  readonly path: string
}

/** What hides comes first, and each folder before what is in it. */
function ordered(actions: readonly Action[]): Action[] {
  const hides = ({ kind }: Action) => (kind === 'remove' || kind === 'empty' ? 0 : 1)
  return [...actions].sort((a, b) => hides(a) - hides(b) || (a.path < b.path ? -1 : 1))
}

function entryOf({ kind, path }: Action): Entry {
  if (kind === 'file') return file(path, `content of ${path}`)
  if (kind === 'folder') return { name: path, type: 'directory' }
  if (kind === 'empty') return file(`${path}/.wh..wh..opq`, '')
  const folder = dirname(path)
  return file(
    `${folder === '.' ? '' : `${folder}/`}.wh.${path.slice(folder === '.' ? 0 : folder.length + 1)}`,
    '',
  )
}

function apply(model: Map<string, string>, actions: readonly Action[]): void {
  const below = (path: string) => [...model.keys()].filter(one => one.startsWith(`${path}/`))
  const remove = (path: string) => {
    for (const one of [path, ...below(path)]) model.delete(one)
  }
  /** A parent that is no folder becomes one. */
  const makeFolders = (path: string) => {
    const parts = path.split('/')
    for (let count = 1; count <= parts.length; count++) {
      const folder = parts.slice(0, count).join('/')
      if (model.get(folder) !== 'folder') remove(folder)
      model.set(folder, 'folder')
    }
  }
  for (const { kind, path } of ordered(actions)) {
    const parent = dirname(path)
    if (kind === 'empty') {
      makeFolders(path)
      for (const one of below(path)) model.delete(one)
      continue
    }
    if (parent !== '.') makeFolders(parent)
    if (kind === 'remove') remove(path)
    else if (kind === 'folder') {
      if (model.get(path) !== 'folder') remove(path)
      model.set(path, 'folder')
    } else {
      remove(path)
      model.set(path, `content of ${path}`)
    }
  }
}

function treeOf(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()
  const kind = (path: string) => (lstatSync(path).isDirectory() ? 'folder' : readFileSync(path, 'utf8'))
  return new Map(names.map(name => [name, kind(join(root, name))]))
}

/** Magic number, a header without checksum and with 8 bytes of size, raw blocks of at most 128 KiB. */
function zstdFrame(bytes: Buffer): Buffer {
  const most = 1 << 17
  const header = Buffer.alloc(13)
  header.writeUInt32LE(0xfd2fb528, 0)
  header.writeUInt8(0b11100000, 4)
  header.writeBigUInt64LE(BigInt(bytes.length), 5)
  const blocks: Buffer[] = [header]
  for (let at = 0; at < bytes.length; at += most) {
    const content = bytes.subarray(at, at + most)
    const isLast = at + most >= bytes.length ? 1 : 0
    const start = Buffer.alloc(3)
    start.writeUIntLE((content.length << 3) | isLast, 0, 3)
    blocks.push(start, content)
  }
  return Buffer.concat(blocks)
}
