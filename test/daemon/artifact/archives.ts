// needs: zstd

import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { zip } from '../../fixture/archive/zip.ts'

export interface MadeEntry {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'link' | 'fifo' | 'block-device' | 'character-device'
  readonly content?: string | Buffer
  readonly mode?: number
  readonly linkname?: string
}

export async function tar(entries: readonly MadeEntry[]): Promise<Buffer> {
  const packing = pack()
  for (const { name, type = 'file', content = '', mode = 0o644, linkname } of entries) {
    packing.entry({ name, type, mode, ...(linkname === undefined ? {} : { linkname }) }, content)
  }
  packing.finalize()
  const chunks: Uint8Array[] = []
  for await (const chunk of packing as AsyncIterable<Uint8Array>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Each way of packing the same entries; zip has no devices and hard links. */
export const packings = {
  tar,
  'tar.gz': async (entries: readonly MadeEntry[]) => gzipSync(await tar(entries)),
  'tar.zst': async (entries: readonly MadeEntry[]) => zstd(await tar(entries)),
  zip: async (entries: readonly MadeEntry[]) =>
    zip(
      entries.map(({ name, type = 'file', content = '', mode, linkname }) => ({
        path: type === 'directory' && !name.endsWith('/') ? `${name}/` : name,
        content: Buffer.from(type === 'symlink' ? (linkname ?? '') : content),
        mode: (mode ?? 0o644) | (type === 'symlink' ? 0o120000 : 0),
      })),
    ),
} as const

/** The real compressor, as people have it. */
export function zstd(bytes: Buffer, ...options: readonly string[]): Buffer {
  return execFileSync('zstd', ['-c', '-q', ...options], { input: bytes, maxBuffer: 1 << 30 })
}
