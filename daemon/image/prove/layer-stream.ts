import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { type Readable, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Decompress } from 'fzstd'

/** The tar of a layer, decompressed where it is compressed, which its first bytes tell. */
export function layerStream(path: string): Readable {
  const start = firstBytes(path)
  const content = createReadStream(path, { highWaterMark: 1 << 20 })
  if (start.readUInt16BE(0) === 0x1f8b) return decompressed(content, createGunzip({ chunkSize: 1 << 18 }))
  // RFC 8878, section 3.1.1.
  if (start.readUInt32LE(0) === 0xfd2fb528) return decompressed(content, zstd())
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

function decompressed(content: Readable, through: Transform): Readable {
  content.on('error', error => through.destroy(error))
  return content.pipe(through)
}

function zstd(): Transform {
  const decompress = new Decompress()
  return new Transform({
    construct(callback) {
      decompress.ondata = chunk => this.push(chunk)
      callback()
    },
    transform(chunk, _encoding, callback) {
      try {
        decompress.push(chunk)
        callback()
      } catch (error) {
        callback(error as Error)
      }
    },
  })
}
