import { Decompress } from 'fzstd'
import { startZstdWindows } from '../../../../src/artifact/archive/zstd-windows.ts'

/** So little goes in at a time, since 4 bytes may stand for 128 kB. */
const slice = 512
/** What a stream may make us keep: what `zstd --long` needs, and more than any level does. */
const largestWindow = 128 << 20

/** Zstandard (RFC 8878), frame by frame. Errors: those of fzstd; a window that is too large. */
export async function* unzstd(source: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  // What it hands over may lie in a buffer that it uses again.
  const stream = new Decompress(chunk => ready.push(chunk.slice()))
  const windows = startZstdWindows()
  for await (const chunk of source) {
    if (windows.read(chunk) > largestWindow) throw new Error('its window is larger than 128 MB')
    for (let at = 0; at < chunk.length; at += slice) {
      stream.push(chunk.subarray(at, at + slice))
      yield* ready
      ready = []
    }
  }
  stream.push(new Uint8Array(0), true)
  yield* ready
}
