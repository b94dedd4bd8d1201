import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import type { DepositedFile } from '../../../cache/blob/deposit-file.ts'
import { takeInFiles } from '../../../cache/blob/take-in-files.ts'
import { stagingFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { newStaging, sha256 } from '../support/packages.ts'
import { newVolume, smallFileSystem } from '../support/temporary.ts'

async function* once<T>(batch: T): AsyncGenerator<T> {
  yield batch
}

function fileIn(volume: Volume, staging: string, name: string, bytes: string | Buffer, executable = false) {
  const place = join(stagingFolder(volume, staging), name)
  writeFileSync(place, bytes)
  chmodSync(place, executable ? 0o755 : 0o640)
  return { place, size: Buffer.byteLength(bytes), executable }
}

const take = (volume: Volume, staging: string, ...files: DepositedFile[]) =>
  takeInFiles(volume, once(files), { staging })

test('a file becomes the blob of its content: same inode, read-only, one time, contents untouched', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const plain = fileIn(volume, staging, 'a.py', 'print()')
  const script = fileIn(volume, staging, 'run', 'print()', true)
  const empty = fileIn(volume, staging, 'empty', '')
  const { digests, added } = await take(volume, staging, plain, script, empty)
  expect([...digests.values()].sort()).toEqual([sha256(''), sha256('print()'), sha256('print()')].sort())
  expect(added).toEqual({ files: 3, bytes: 14 })
  for (const [file, content, name] of [
    [plain, 'print()', sha256('print()')],
    [script, 'print()', `${sha256('print()')}.x`],
    [empty, '', sha256('')],
  ] as const) {
    const blob = join(volume.root, 'blobs', name.slice(0, 2), name)
    expect(readFileSync(blob, 'utf8')).toBe(content)
    const stats = lstatSync(blob)
    expect(stats.ino).toBe(lstatSync(file.place).ino)
    expect(stats.mode & 0o7777).toBe(file.executable ? 0o555 : 0o444)
    expect(stats.mtimeMs).toBe(STORE_MTIME * 1000)
  }
})

test('a content that is known stays one inode, whoever brings it and in one batch too', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const files = Array.from({ length: 300 }, (_, index) =>
    fileIn(volume, staging, `f${index}`, `${index % 3}`),
  )
  expect((await take(volume, staging, ...files)).added).toEqual({ files: 3, bytes: 3 })
  const inode = lstatSync(blobPath(volume, sha256('0'), false)).ino
  const again = await take(volume, staging, fileIn(volume, staging, 'later', '0'))
  expect(again).toMatchObject({ added: { files: 0, bytes: 0 }, damaged: [] })
  expect(lstatSync(blobPath(volume, sha256('0'), false)).ino).toBe(inode)
})

test('a blob of another size is damaged: set aside, and the good file takes its place', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  await take(volume, staging, fileIn(volume, staging, 'first', 'whole'))
  const blob = blobPath(volume, sha256('whole'), false)
  truncateSync(blob, 2)
  const good = fileIn(volume, staging, 'second', 'whole')
  const { damaged, added } = await take(volume, staging, good)
  expect(damaged).toEqual([sha256('whole')])
  expect(added.files).toBe(0)
  expect(readFileSync(blob, 'utf8')).toBe('whole')
  expect(lstatSync(blob).ino).toBe(lstatSync(good.place).ino)
  const [aside] = readdirSync(join(volume.root, 'quarantine'))
  expect(aside).toMatch(new RegExp(`^${sha256('whole')}\\.`))
  expect(readFileSync(join(volume.root, 'quarantine', aside!), 'utf8')).toBe('wh')
  expect(readdirSync(stagingFolder(volume, staging)).sort()).toEqual(['first', 'second'])
})

test.each<[string, (blob: string) => void]>([
  ['short contents', blob => overwrite(blob, 3)],
  ['the beginning of long ones', blob => overwrite(blob, 100)],
  ['their middle', blob => overwrite(blob, 50_010)],
  ['their end', blob => overwrite(blob, 99_999)],
  ['the mode', blob => chmodSync(blob, 0o644)],
  ['the time', blob => utimesSync(blob, 1, 1)],
])('a blob that differs in %s is not taken for known', async (what, damage) => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const content = what === 'short contents' ? 'short' : 'long'.repeat(25_000)
  await take(volume, staging, fileIn(volume, staging, 'first', content))
  const blob = blobPath(volume, sha256(content), false)
  damage(blob)
  const good = fileIn(volume, staging, 'second', content)
  const { damaged } = await take(volume, staging, good)
  expect(damaged).toEqual([sha256(content)])
  expect(readFileSync(blob, 'utf8')).toBe(content)
  expect(lstatSync(blob).ino).toBe(lstatSync(good.place).ino)
  expect((await take(volume, staging, fileIn(volume, staging, 'third', content))).damaged).toEqual([])
})

/** One byte, without a trace in size or time. */
function overwrite(blob: string, at: number): void {
  chmodSync(blob, 0o644)
  const fd = openSync(blob, 'r+')
  writeSync(fd, '#', at)
  closeSync(fd)
  chmodSync(blob, 0o444)
  utimesSync(blob, STORE_MTIME, STORE_MTIME)
}

test('what was taken in already may be taken in again', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const file = fileIn(volume, staging, 'a', 'x')
  await take(volume, staging, file)
  const { ctimeMs } = lstatSync(file.place)
  expect((await take(volume, staging, file)).added.files).toBe(0)
  expect(lstatSync(file.place).ctimeMs).toBe(ctimeMs)
})

test('sizes around the buffer and of many megabytes', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const contents = [0, 1, 262_143, 262_144, 5_000_000].map(size => randomBytes(size))
  const files = contents.map((bytes, index) => fileIn(volume, staging, `f${index}`, bytes))
  const { digests } = await take(volume, staging, ...files)
  expect(files.map(file => digests.get(file))).toEqual(contents.map(sha256))
  for (const bytes of contents) {
    expect(readFileSync(blobPath(volume, sha256(bytes), false)).equals(bytes)).toBe(true)
  }
})

test('a file of more than 2 GiB', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const size = 2 ** 31 + 4097
  const file = { ...fileIn(volume, staging, 'big', ''), size }
  truncateSync(file.place, size)
  const { digests, added } = await take(volume, staging, file)
  // sha256sum of 2,147,487,745 zeros
  expect(digests.get(file)).toBe('43d3fb254776bf64ed77fa67861ebf99d21b57849cd0ba74275861e888fa5c31')
  expect(added.bytes).toBe(size)
  expect(lstatSync(blobPath(volume, digests.get(file)!, false)).size).toBe(size)
})

test('a file that changes meanwhile, or is gone, becomes no blob', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const file = fileIn(volume, staging, 'a', 'abc')
  await expect(take(volume, staging, { ...file, size: 2 })).rejects.toMatchObject({ code: 'IO' })
  rmSync(file.place)
  await expect(take(volume, staging, file)).rejects.toMatchObject({ code: 'IO' })
  expect(readdirSync(join(volume.root, 'blobs'))).toEqual([])
})

test('files of another mount, immutable ones and other users are three errors', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const elsewhere = join(smallFileSystem(64), 'file')
  writeFileSync(elsewhere, 'x')
  await expect(take(volume, staging, { place: elsewhere, size: 1, executable: false })).rejects.toMatchObject(
    { code: 'LINK_OTHER_FILE_SYSTEM' },
  )
  await expect(takeInFiles({ ...volume, owned: false }, once([]), { staging })).rejects.toMatchObject({
    code: 'VOLUME_NOT_OWNER',
  })
})

test('an abort leaves with its reason', async () => {
  const volume = newVolume()
  const staging = newStaging(volume)
  const file = fileIn(volume, staging, 'a', 'x')
  const reason = new Error('enough')
  await expect(
    takeInFiles(volume, once([file]), { staging, signal: AbortSignal.abort(reason) }),
  ).rejects.toBe(reason)
  expect(existsSync(blobPath(volume, sha256('x'), false))).toBe(false)
})
