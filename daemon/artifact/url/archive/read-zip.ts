import { promisify } from 'node:util'
import { type Entry, open, type ZipFile } from 'yauzl'
import type { ArchiveEntry } from '../../../../src/artifact/archive/entries.ts'
import type { OpenEntry } from './read-tar.ts'

/** Bits of `external file attributes` that a Unix archiver writes: st_mode (APPNOTE.TXT 4.4.15; Info-ZIP). */
const formatMask = 0o170000
const longestTarget = 4096

/** The entries of a zip, in the order of its directory. Errors: of yauzl. */
export async function* readZip(file: string): AsyncGenerator<OpenEntry> {
  const zip = await promisify<string, { lazyEntries: true; strictFileNames: true }, ZipFile>(open)(file, {
    lazyEntries: true,
    strictFileNames: true,
  })
  try {
    for (let entry = await next(zip); entry !== null; entry = await next(zip)) {
      const described = await describe(zip, entry)
      yield { entry: described, content: described.kind === 'file' ? contentOf(zip, entry) : nothing() }
    }
  } finally {
    zip.close()
  }
}

function next(zip: ZipFile): Promise<Entry | null> {
  return new Promise((resolve, reject) => {
    const done = (act: () => void) => {
      zip.removeAllListeners()
      act()
    }
    zip.once('entry', (entry: Entry) => done(() => resolve(entry)))
    zip.once('end', () => done(() => resolve(null)))
    zip.once('error', error => done(() => reject(error)))
    zip.readEntry()
  })
}

async function describe(zip: ZipFile, entry: Entry): Promise<ArchiveEntry> {
  const { fileName: name, versionMadeBy, externalFileAttributes } = entry
  const madeOnUnix = versionMadeBy >> 8 === 3
  const attributes = madeOnUnix ? externalFileAttributes >>> 16 : 0
  const mode = attributes & 0o7777
  if (entry.isEncrypted()) return { name, kind: 'other', label: 'encrypted', mode, target: '' }
  if (name.endsWith('/')) return { name, kind: 'directory', label: '', mode, target: '' }
  const format = attributes & formatMask
  if (format === 0o120000) {
    const target = await readTarget(zip, entry)
    return {
      name,
      kind: target === null ? 'other' : 'link',
      label: 'a link without end',
      mode,
      target: target ?? '',
    }
  }
  const plain = format === 0 || format === 0o100000
  return { name, kind: plain ? 'file' : 'other', label: 'a device, pipe or socket', mode, target: '' }
}

async function readTarget(zip: ZipFile, entry: Entry): Promise<string | null> {
  if (entry.uncompressedSize > longestTarget) return null
  const chunks: Uint8Array[] = []
  for await (const chunk of contentOf(zip, entry)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const openReadStream: (
    entry: Entry,
    callback: (error: Error | null, stream: NodeJS.ReadableStream) => void,
  ) => void = zip.openReadStream.bind(zip)
  yield* (await promisify(openReadStream)(entry)) as AsyncIterable<Buffer>
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
