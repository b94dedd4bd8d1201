import { readSync } from 'node:fs'
import { createXXHash128 } from 'hash-wasm'

/** xxh128 of a file's head, middle and tail, 16 bytes. */
export interface Sampler {
  /** Throws system errors. */
  ofFile(fd: number, size: number): Uint8Array
  /** The same of contents that were read anyway. */
  ofBytes(bytes: Uint8Array): Uint8Array
}

/** Bytes of each of the three: a file up to three times as big is taken whole. */
const piece = 4096

export async function loadSampler(): Promise<Sampler> {
  const hasher = await createXXHash128()
  const buffer = Buffer.allocUnsafeSlow(3 * piece)
  const digest = (bytes: Uint8Array) => hasher.init().update(bytes).digest('binary')

  return {
    ofFile(fd, size) {
      if (size <= buffer.length) return digest(buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, 0)))
      const lengths = placesOf(size).map((place, index) => readSync(fd, buffer, index * piece, piece, place))
      return digest(
        buffer.subarray(
          0,
          lengths.reduce((sum, length) => sum + length),
        ),
      )
    },
    ofBytes(bytes) {
      if (bytes.length <= buffer.length) return digest(bytes)
      for (const [index, place] of placesOf(bytes.length).entries()) {
        buffer.set(bytes.subarray(place, place + piece), index * piece)
      }
      return digest(buffer)
    },
  }
}

function placesOf(size: number): number[] {
  return [0, Math.floor(size / 2), size - piece]
}
