import { resolve } from 'node:path'
import { EnvdError } from '../error.ts'

/** A value with the place that gave it, not yet read. */
export interface Found {
  readonly text: string
  readonly origin: string
  /** Folder that a relative path starts from. */
  readonly base: string
}

export function absolutePath({ text, base }: Found, home: string): string {
  const expanded = text === '~' || text.startsWith('~/') ? home + text.slice(1) : text
  return resolve(base, expanded)
}

/** @throws CONFIG_INVALID */
export function count({ text, origin }: Found): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new EnvdError(
    'CONFIG_INVALID',
    `${origin}: builds must be a number from 1 to 99999, not ${JSON.stringify(text)}`,
  )
}
