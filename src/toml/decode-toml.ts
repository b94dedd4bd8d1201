import { EnvdError, type ErrorCode, formatPlace } from '../error.ts'

/** The text of a TOML file, which is UTF-8 (TOML 1.0, "Spec"). Throws `code` with file and line. */
export function decodeToml(bytes: Uint8Array, file: string, code: ErrorCode): string {
  const text = decode(bytes)
  if (text !== null) return text
  const place = { file, line: firstWrongLine(bytes) }
  throw new EnvdError(code, `${formatPlace(place)}: this is not UTF-8`, {
    hint: 'Save the file as UTF-8.',
    details: { place },
  })
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Counted from 1. A line feed is never part of another character. */
function firstWrongLine(bytes: Uint8Array): number {
  const lineFeed = 0x0a
  for (let line = 1, start = 0; ; line++) {
    const end = bytes.indexOf(lineFeed, start)
    if (end === -1 || decode(bytes.subarray(start, end)) === null) return line
    start = end + 1
  }
}
