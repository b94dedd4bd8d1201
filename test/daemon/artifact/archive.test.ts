import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { unpackArchive } from '../../../daemon/artifact/url/unpack-archive.ts'
import type { UnpackLimits, UrlArtifact } from '../../../src/artifact/artifact.ts'
import type { EnvdError } from '../../../src/error.ts'
import { temporaryFolder } from '../../cache/support/temporary.ts'
import { type MadeEntry, packings, tar, zstd } from './archives.ts'
import { noise, openHub, startWorkshop } from './support.ts'

const generous: UnpackLimits = { entries: 1000, bytes: 1e9, ratio: 1e6 }

async function unpack(bytes: Buffer, limits = generous): Promise<string> {
  const outside = temporaryFolder()
  const file = join(outside, 'archive')
  writeFileSync(file, bytes)
  const folder = temporaryFolder()
  await unpackArchive(file, folder, limits, { name: 'archive', signal: new AbortController().signal })
  return folder
}

async function refusal(bytes: Buffer, limits = generous): Promise<EnvdError> {
  return unpack(bytes, limits).then(
    () => {
      throw new Error('it was unpacked')
    },
    error => error,
  )
}

const good: MadeEntry[] = [
  { name: './', type: 'directory' },
  { name: './bin', type: 'directory', mode: 0o700 },
  { name: './bin/run', content: '#!/bin/sh\n', mode: 0o755 },
  { name: 'deep/er/data.bin', content: noise(300_000, 4) },
  { name: 'ünï/𝕏', content: 'x' },
  { name: 'link', type: 'symlink', linkname: 'deep/er/data.bin' },
  { name: 'deep/up', type: 'symlink', linkname: '../bin' },
  { name: 'empty' },
]

describe.each(Object.keys(packings) as (keyof typeof packings)[])('a %s', packing => {
  test('is unpacked', async () => {
    const folder = await unpack(await packings[packing](good))
    expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual(
      [
        'bin',
        'bin/run',
        'deep',
        'deep/er',
        'deep/er/data.bin',
        'deep/up',
        // Behind the link.
        'deep/up/run',
        'empty',
        'link',
        'ünï',
        'ünï/𝕏',
      ].sort(),
    )
    expect(readFileSync(join(folder, 'link')).equals(noise(300_000, 4))).toBe(true)
    expect(readlinkSync(join(folder, 'deep/up'))).toBe('../bin')
    expect(statSync(join(folder, 'bin/run')).mode & 0o111).not.toBe(0)
    expect(statSync(join(folder, 'empty')).mode & 0o111).toBe(0)
  })

  test.each<[string, MadeEntry[], string]>([
    ['a path upwards', [{ name: '../evil', content: 'x' }], '../evil'],
    ['a path upwards in its middle', [{ name: 'a/../../evil', content: 'x' }], 'a/../../evil'],
    ['an absolute path', [{ name: '/tmp/evil', content: 'x' }], '/tmp/evil'],
    ['a link upwards', [{ name: 'l', type: 'symlink', linkname: '../../x' }], 'l'],
    ['an absolute link', [{ name: 'l', type: 'symlink', linkname: '/etc/passwd' }], 'l'],
    [
      'a file below a link',
      [
        { name: 'l', type: 'symlink', linkname: '.' },
        { name: 'l/evil', content: 'x' },
      ],
      'l/evil',
    ],
    [
      'a link that leads out behind another one',
      [
        { name: 'x/y/l', type: 'symlink', linkname: '../..' },
        { name: 'm', type: 'symlink', linkname: 'x/y/l/../evil' },
      ],
      'm',
    ],
    ['a program of another user', [{ name: 'su', content: 'x', mode: 0o4755 }], 'su'],
    ['a program of another group', [{ name: 'sg', content: 'x', mode: 0o2755 }], 'sg'],
    [
      'two names that differ in case',
      [
        { name: 'Readme', content: 'x' },
        { name: 'README', content: 'y' },
      ],
      'README',
    ],
    [
      'two folders that differ in case',
      [
        { name: 'a/x', content: 'x' },
        { name: 'A/y', content: 'y' },
      ],
      'A/y',
    ],
    [
      'two names that differ in Unicode form',
      [
        { name: 'caf\u00e9', content: 'x' },
        { name: 'cafe\u0301', content: 'y' },
      ],
      'cafe\u0301',
    ],
    [
      'one name twice',
      [
        { name: 'a', content: 'x' },
        { name: './a', content: 'y' },
      ],
      './a',
    ],
    [
      'a file that is a folder',
      [
        { name: 'a', content: 'x' },
        { name: 'a/b', content: 'y' },
      ],
      'a/b',
    ],
    [
      'a link in the place of a folder',
      [
        { name: 'a/b', content: 'y' },
        { name: 'a', type: 'symlink', linkname: 'c' },
      ],
      'a',
    ],
    ['a name that is too long', [{ name: 'n'.repeat(256), content: 'x' }], 'n'.repeat(256)],
  ])('with %s is refused, and the entry named', async (_, entries, entry) => {
    const bytes = await packings[packing]([{ name: 'first', content: 'x' }, ...entries])
    const error = await refusal(bytes)
    expect(error).toMatchObject({ code: 'ARCHIVE_REFUSED' })
    expect(error.message).toContain(
      packing === 'zip' && /^(\/|.*\.\.)/.test(entry) ? entry : JSON.stringify(entry),
    )
  })

  test('that is cut off is refused', async () => {
    const bytes = await packings[packing](good)
    for (const share of [0.3, 0.9]) {
      const error = await refusal(bytes.subarray(0, Math.floor(bytes.length * share)))
      expect(error).toMatchObject({ code: 'ARCHIVE_REFUSED' })
    }
  })

  test('stays within its limits', async () => {
    const many = Array.from({ length: 20 }, (_, index) => ({
      name: `f${index}`,
      content: Buffer.alloc(10_000),
    }))
    const bytes = await packings[packing](many)
    expect((await refusal(bytes, { ...generous, entries: 19 })).message).toContain('"f19"')
    expect((await refusal(bytes, { ...generous, bytes: 150_000 })).message).toContain('"f15"')
    if (packing !== 'tar')
      expect((await refusal(bytes, { ...generous, ratio: 2 })).message).toContain('2 times')
    await unpack(bytes, { entries: 20, bytes: 200_000, ratio: 100_000 })
  })
})

describe('a tar', () => {
  test.each<[string, MadeEntry, string]>([
    ['a device', { name: 'd', type: 'block-device' }, 'a device'],
    ['a character device', { name: 'd', type: 'character-device' }, 'a device'],
    ['a named pipe', { name: 'd', type: 'fifo' }, 'a named pipe'],
    ['a hard link outside', { name: 'd', type: 'link', linkname: '../../etc/passwd' }, 'no file before it'],
    ['a hard link to what comes later', { name: 'd', type: 'link', linkname: 'later' }, 'no file before it'],
  ])('with %s is refused', async (_, entry, problem) => {
    const error = await refusal(await tar([entry, { name: 'later', content: 'x' }]))
    expect(error).toMatchObject({ code: 'ARCHIVE_REFUSED', details: { entry: 'd' } })
    expect(error.message).toContain(problem)
  })

  test('with a hard link has one content under two names', async () => {
    const folder = await unpack(
      await tar([
        { name: 'a', content: 'x' },
        { name: 'b', type: 'link', linkname: './a' },
      ]),
    )
    expect(statSync(join(folder, 'a')).ino).toBe(statSync(join(folder, 'b')).ino)
  })

  test('with names longer than its headers is unpacked', async () => {
    const name = `${'d'.repeat(120)}/${'é'.repeat(100)}/f`
    const folder = await unpack(await tar([{ name, content: 'x' }]))
    expect(readFileSync(join(folder, name), 'utf8')).toBe('x')
  })
})

test('a bomb is stopped long before its end', async () => {
  const bomb = gzipSync(await tar([{ name: 'zeros', content: Buffer.alloc(200_000_000) }]))
  const error = await refusal(bomb, { entries: 10, bytes: 1e12, ratio: 20 })
  expect(error.message).toContain('"zeros" is refused: here it is more than 20 times')
})

test('a zstd of many frames, of any level, is unpacked; one with a huge window is not', async () => {
  const bytes = await tar(good)
  const half = bytes.length >> 1
  const frames = Buffer.concat([zstd(bytes.subarray(0, half), '-19'), zstd(bytes.subarray(half), '-1')])
  expect(readdirSync(await unpack(frames))).toContain('deep')
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 20 << 3, 0x01, 0x00, 0x00])
  expect(await refusal(Buffer.concat([header, Buffer.alloc(600)]))).toMatchObject({ code: 'ARCHIVE_REFUSED' })
})

test('what is no archive is refused', async () => {
  expect((await refusal(noise(2000, 8))).message).toContain('is no archive')
  expect((await refusal(Buffer.from('x'))).message).toContain('is no archive')
})

describe('an archive at a URL', () => {
  async function serve(bytes: Buffer) {
    const hub = await openHub()
    hub.push('models/org/name', { 'set.tar.gz': bytes })
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const url = `${hub.endpoint}/org/name/resolve/main/set.tar.gz`
    const artifact: UrlArtifact = { kind: 'url', name: 'set', url, sha256, unpack: generous }
    return { hub, artifact, ...startWorkshop({}) }
  }

  test('becomes a sealed tree of blobs, each content once', async () => {
    const twice = [...good, { name: 'again.bin', content: noise(300_000, 4) }]
    const { artifact, fetch, volume } = await serve(await packings['tar.gz'](twice))
    const { path, record } = await fetch(artifact)
    expect(record).toMatchObject({ files: 5, source: { kind: 'url', file: null, unpack: true } })
    expect(statSync(join(path, 'again.bin')).ino).toBe(statSync(join(path, 'deep/er/data.bin')).ino)
    const modes = ['.', 'bin', 'bin/run', 'empty'].map(name => lstatSync(join(path, name)).mode & 0o7777)
    expect(modes).toEqual([0o555, 0o555, 0o555, 0o444])
    expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
    expect(readdirSync(join(volume.root, 'downloads'))).toEqual([])
  })

  test('that is refused leaves no file behind', async () => {
    const hostile = [...good, { name: '../../evil', content: 'x' }]
    const { artifact, fetch, volume } = await serve(await packings['tar.gz'](hostile))
    await expect(fetch(artifact)).rejects.toMatchObject({
      code: 'ARCHIVE_REFUSED',
      details: { entry: '../../evil' },
    })
    expect(existsSync(join(volume.root, 'artifacts'))).toBe(false)
    expect(readdirSync(join(volume.root, 'staging'))).toEqual([])
    expect(readdirSync(volume.root).filter(name => name === 'evil')).toEqual([])
  })

  test('as one file keeps the name of the URL', async () => {
    const { artifact, fetch } = await serve(Buffer.from('as it is'))
    const { path, record } = await fetch({ ...artifact, unpack: null })
    expect(readFileSync(join(path, 'set.tar.gz'), 'utf8')).toBe('as it is')
    expect(record.files).toBe(1)
  })

  test('with another sha256 is refused', async () => {
    const { artifact, fetch } = await serve(Buffer.from('as it is'))
    await expect(fetch({ ...artifact, sha256: '0'.repeat(64) })).rejects.toMatchObject({
      code: 'ARTIFACT_DIGEST',
    })
  })
})
