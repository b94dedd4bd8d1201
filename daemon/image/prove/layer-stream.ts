import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { unzstd } from '../../artifact/url/archive/unzstd.ts'

/** The tar of a layer, decompressed where it is compressed, which its first bytes tell. */
export function layerStream(path: string): Readable {
  const start = firstBytes(path)
  const content = createReadStream(path, { highWaterMark: 1 << 20 })
  if (start.readUInt16BE(0) === 0x1f8b) return gunzipped(content)
  // RFC 8878, section 3.1.1.
  if (start.readUInt32LE(0) === 0xfd2fb528) return Readable.from(unzstd(content))
  return content
}

function firstBytes(path: string): Buffer {
  const bytes = Buffer.alloc(4)
  const fd = openSync(path, 'r')
  try {
    readSync(fd, bytes)
  } finally {
    closeSync(fd)
  }
  return bytes
}

function gunzipped(content: Readable): Readable {
  const gunzip = createGunzip({ chunkSize: 1 << 18 })
  content.on('error', error => gunzip.destroy(error))
  return content.pipe(gunzip)
}
