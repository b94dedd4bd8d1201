import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import type { ArchiveEntry } from '../../../../src/artifact/archive/entries.ts'
import { unzstd } from './unzstd.ts'

export interface OpenEntry {
  readonly entry: ArchiveEntry
  /** Of a file; must be read to the end. */
  readonly content: AsyncIterable<Uint8Array>
}

/** The entries of a tar (POSIX.1-2001 pax, ustar, GNU), as they come. Errors: of the streams. */
export async function* readTar(file: string, packing: 'none' | 'gzip' | 'zstd'): AsyncGenerator<OpenEntry> {
  const tar = extract()
  const fed = feed(unpacked(file, packing), tar)
  // It is the iteration that throws it.
  fed.catch(error => tar.destroy(error))
  for await (const stream of tar) {
    yield { entry: describe(stream.header), content: stream as AsyncIterable<Uint8Array> }
    stream.resume()
  }
  await fed
}

async function feed(source: AsyncIterable<Uint8Array>, tar: ReturnType<typeof extract>): Promise<void> {
  for await (const chunk of source) {
    if (tar.destroyed) return
    if (!tar.write(chunk)) await drained(tar)
  }
  tar.end(null)
}

/** Until it takes more, or is given up. */
function drained(tar: ReturnType<typeof extract>): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      tar.off('drain', done).off('close', done)
      resolve()
    }
    tar.on('drain', done).on('close', done)
    if (tar.destroyed) done()
  })
}

function unpacked(file: string, packing: 'none' | 'gzip' | 'zstd'): AsyncIterable<Uint8Array> {
  const source = createReadStream(file)
  if (packing === 'none') return source
  if (packing === 'zstd') return unzstd(source)
  const gunzip = createGunzip()
  source.on('error', error => gunzip.destroy(error))
  return source.pipe(gunzip)
}

function describe({ name, type, mode, linkname }: Header): ArchiveEntry {
  const kind = kinds[type] ?? 'other'
  return {
    name,
    kind,
    label: labels[type] ?? `of an unknown kind (${type})`,
    mode,
    target: linkname ?? '',
  }
}

const kinds: Readonly<Record<string, ArchiveEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'link',
  link: 'hard link',
}

const labels: Readonly<Record<string, string>> = {
  'character-device': 'a device',
  'block-device': 'a device',
  fifo: 'a named pipe',
}
