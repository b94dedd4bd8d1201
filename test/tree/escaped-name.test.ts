import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeName, isPlain, unescapeName } from '../../src/tree/escaped-name.ts'

const bytes = fc.uint8Array({ maxLength: 24 })
/** Bytes around the edges of UTF-8, where arbitrary ones hardly ever get. */
const nearUtf8 = fc
  .array(
    fc.constantFrom(
      0x5c,
      0x78,
      0x30,
      0x80,
      0xa0,
      0xbf,
      0xc1,
      0xc2,
      0xe0,
      0xed,
      0xef,
      0xf0,
      0xf4,
      0xf5,
      0x9f,
      0x90,
      0x8f,
    ),
    { maxLength: 8 },
  )
  .map(list => Uint8Array.from(list))

test('any bytes come back from their escaped form, which no others have', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, nearUtf8), value => {
      expect(Buffer.from(unescapeName(escapeName(value)))).toEqual(Buffer.from(value))
    }),
    { numRuns: 5000 },
  )
})

test('an escaped form has no control character and is well-formed text', () => {
  fc.assert(
    fc.property(fc.oneof(bytes, nearUtf8), value => {
      const text = escapeName(value)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(text).not.toMatch(/[\x00-\x1f\x7f]/)
      expect(text.isWellFormed()).toBe(true)
    }),
    { numRuns: 2000 },
  )
})

test('text is either the escaped form of some bytes or refused', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('\\', 'x', '0', '5', 'c', 'a', 'C', 'é', '\ud800', '\n') }),
      text => {
        let value: Uint8Array
        try {
          value = unescapeName(text)
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError)
          return
        }
        expect(escapeName(value)).toBe(text)
      },
    ),
    { numRuns: 5000 },
  )
})

test('well-formed UTF-8 is kept as it is, whatever the script', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escaped
      fc.pre(!/[\x00-\x1f\x7f\\]/.test(text))
      expect(escapeName(Buffer.from(text))).toBe(text)
    }),
  )
})

test.each([
  [[0x61, 0x0a, 0x62], 'a\\x0ab'],
  [[0x5c], '\\x5c'],
  [[0xff], '\\xff'],
  [[0xc3, 0xa9], 'é'],
  [[0xc0, 0x80], '\\xc0\\x80'],
  [[0xed, 0xa0, 0x80], '\\xed\\xa0\\x80'],
  [[0xf4, 0x90, 0x80, 0x80], '\\xf4\\x90\\x80\\x80'],
  [[0xe2, 0x82], '\\xe2\\x82'],
  [[0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
])('%j is written %s', (value, text) => {
  expect(escapeName(Uint8Array.from(value))).toBe(text)
})

test('plain text is its own escaped form', () => {
  expect(isPlain('lib/a b~!.py')).toBe(true)
  for (const text of ['a\\b', 'a\tb', 'é', 'a\x7f']) expect(isPlain(text)).toBe(false)
})
