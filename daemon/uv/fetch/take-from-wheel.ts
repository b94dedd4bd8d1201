import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { type Entry, fromBuffer, type ZipFile } from 'yauzl'
import { EnvdError } from '../../../src/error.ts'

/** Writes one file of a wheel, executable and durable. UV_UNAVAILABLE when the wheel does not have it. */
export async function takeFromWheel(wheel: Buffer, path: string, target: string): Promise<void> {
  const zip = await promisify<Buffer, { lazyEntries: true }, ZipFile>(fromBuffer)(wheel, {
    lazyEntries: true,
  })
  const entry = await findEntry(zip, path)
  if (entry === undefined) throw new EnvdError('UV_UNAVAILABLE', `the wheel of uv has no ${path}`)
  const content = await promisify(zip.openReadStream.bind(zip) as OpenReadStream)(entry)
  await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o755, flush: true }))
}

type OpenReadStream = (
  entry: Entry,
  callback: (error: Error | null, stream: NodeJS.ReadableStream) => void,
) => void

function findEntry(zip: ZipFile, path: string): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      if (entry.fileName === path) resolve(entry)
      else zip.readEntry()
    })
    zip.on('end', () => resolve(undefined))
    zip.on('error', reject)
    zip.readEntry()
  })
}
