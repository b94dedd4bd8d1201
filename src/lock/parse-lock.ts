import { EnvdError } from '../error.ts'
import type { Lock } from './lock.ts'
import { withoutCredentials } from './locked/locked-url.ts'
import { parsePylock } from './pylock/pylock.ts'
import { parseRequirements } from './requirements/requirements.ts'
import { parseUvLock } from './uv/uv-lock.ts'

const parsers: Readonly<Record<Lock['format'], (text: string, file: string) => Lock>> = {
  uv: parseUvLock,
  pylock: parsePylock,
  requirements: parseRequirements,
}

/**
 * Reads a lock of any supported format. `file` is its name, for detection and messages.
 * Throws the LOCK_* errors of the format; none of them, and nothing in the result, holds credentials.
 */
export function parseLock(bytes: Uint8Array, file: string): Lock {
  const text = withoutCredentials(decode(bytes, file))
  return parsers[detectFormat(text, file)](text, file)
}

/** UTF-8 with or without a byte order mark. */
function decode(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new EnvdError('LOCK_NOT_UTF8', `${file} is not UTF-8`, { details: { file } })
  }
}

/** By the names that uv and PEP 751 ("File Name") give, else by what stands in the file. */
function detectFormat(text: string, file: string): Lock['format'] {
  const name = file.split('/').at(-1)!
  if (name === 'uv.lock') return 'uv'
  if (/^pylock(\.[^.]+)?\.toml$/.test(name)) return 'pylock'
  if (/^lock-version\s*=/m.test(text) && /^\[\[packages\]\]/m.test(text)) return 'pylock'
  if (/^\[\[package\]\]/m.test(text)) {
    if (/^version\s*=\s*\d+\s*(#.*)?$/m.test(text) && /^source\s*=\s*\{/m.test(text)) return 'uv'
    throw unknown(file, 'it looks like the lock of another tool')
  }
  if (/^\s*[{[]/.test(text)) throw unknown(file, 'it looks like JSON or TOML')
  return 'requirements'
}

function unknown(file: string, why: string): EnvdError {
  return new EnvdError('LOCK_FORMAT_UNKNOWN', `${file} is not a lock that envd knows: ${why}`, {
    details: { file },
  })
}
