import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startZstdWindows } from '../../src/artifact/archive/zstd-windows.ts'

/** Streamed in, so that the compressor knows no size and states a window. */
const compress = (bytes: Buffer, ...options: string[]) =>
  execFileSync('zstd', ['-c', '-q', ...options], { input: bytes, maxBuffer: 1 << 28 })

/** Not the same twice, and compressible in part. */
const text = Buffer.from(Array.from({ length: 60_000 }, (_, line) => `${line * 7919} line\n`).join(''))
const zeros = Buffer.alloc(3_000_000)

test('the window is what the compressor was told', () => {
  for (const log of [10, 17, 20, 27]) {
    const frame = compress(text, '-19', `--zstd=wlog=${log}`, ...(log > 25 ? ['--long=27'] : []))
    expect(startZstdWindows().read(frame)).toBe(2 ** log)
  }
})

test('of a frame in one segment it is the size of the contents', () => {
  const sizes = [0, 1, 255, 256, 257, 65_791, 65_792, 200_000]
  for (const size of sizes) {
    const frame = compress(text.subarray(0, size), `--stream-size=${size}`)
    expect(startZstdWindows().read(frame)).toBe(size)
  }
})

test('a descriptor with a mantissa, and a size of eight bytes, are read as the specification says', () => {
  const magic = [0x28, 0xb5, 0x2f, 0xfd]
  expect(startZstdWindows().read(Buffer.from([...magic, 0x00, (3 << 3) | 5]))).toBe(8192 + 5 * 1024)
  const eight = [...magic, 0xe0, 0, 0, 0, 0, 1, 0, 0, 0]
  expect(startZstdWindows().read(Buffer.from(eight))).toBe(2 ** 32)
})

test('the window of the last of many frames is found, however the stream is cut', () => {
  const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 0x28, 0xb5, 0x2f])
  const stream = Buffer.concat([
    compress(zeros, '-1', '--no-check'),
    skippable,
    compress(text, '-3', '--check'),
    compress(Buffer.alloc(0)),
    compress(text.subarray(0, 5000), '-19', '--zstd=wlog=24'),
  ])
  const cuts = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(cuts, lengths => {
      const windows = startZstdWindows()
      let largest = 0
      for (let at = 0, index = 0; at < stream.length; index++) {
        const length = lengths[index % lengths.length]!
        largest = windows.read(stream.subarray(at, at + length))
        at += length
      }
      expect(largest).toBe(2 ** 24)
    }),
    { numRuns: 30 },
  )
})

test('what is no stream says nothing', () => {
  expect(startZstdWindows().read(Buffer.alloc(5000, 7))).toBe(0)
})
