import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatSeconds } from '../../../bin/render/amounts.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [1_234_567_890, '1.2 GB'],
  [5e15, '5.0 PB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 ms'],
  [0.0123, '12 ms'],
  [0.9996, '1.0 s'],
  [3.44, '3.4 s'],
  [59.94, '59.9 s'],
  [59.96, '1 min 0 s'],
  [125.4, '2 min 5 s'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text)
})

test.each([
  [0, '0 files'],
  [1, '1 file'],
  [1204, '1,204 files'],
  [1_234_567, '1,234,567 files'],
])('%d: %s', (count, text) => {
  expect(formatCount(count, 'file')).toBe(text)
})
