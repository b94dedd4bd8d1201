/**
 * POSIX names as text. A name is any bytes but NUL and `/`; a path is names joined by `/`. Its escaped form is
 * UTF-8 text in which these bytes are written `\xHH` (two lowercase hex digits): control bytes (00–1f, 7f), the
 * backslash, and every byte that is not part of a well-formed UTF-8 sequence (Unicode 15, table 3-7). Each byte
 * string has exactly one escaped form, and no two share one.
 */

const plain = /^[\x20-\x5b\x5d-\x7e]*$/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** True when escaped form and bytes are the same ASCII text; nearly all paths. */
export function isPlain(text: string): boolean {
  return plain.test(text)
}

export function escapeName(bytes: Uint8Array): string {
  let text = ''
  let at = 0
  while (at < bytes.length) {
    const byte = bytes[at]!
    const length = sequenceLength(bytes, at)
    if (length === 0 || byte < 0x20 || byte === 0x7f || byte === 0x5c) {
      text += `\\x${byte.toString(16).padStart(2, '0')}`
      at += 1
    } else {
      text += length === 1 ? String.fromCharCode(byte) : decoder.decode(bytes.subarray(at, at + length))
      at += length
    }
  }
  return text
}

/** The bytes of an escaped form; throws a TypeError for text that no bytes escape to. */
export function unescapeName(text: string): Uint8Array {
  if (isPlain(text)) return encoder.encode(text)
  const parts = text.split(/\\x([0-9a-f]{2})/)
  const chunks = parts.map((part, index) =>
    index % 2 === 0 ? encoder.encode(part) : Uint8Array.of(Number.parseInt(part, 16)),
  )
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  if (escapeName(bytes) !== text) throw new TypeError(`not an escaped name: ${JSON.stringify(text)}`)
  return bytes
}

/** Length of the well-formed UTF-8 sequence that starts at `at`; 0 where there is none. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0 || at + length > bytes.length) return 0
  const second = bytes[at + 1]!
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let next = at + 2; next < at + length; next++) {
    const byte = bytes[next]!
    if (byte < 0x80 || byte > 0xbf) return 0
  }
  return length
}
