import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../../src/digest.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { type At, DAMAGED, environmentFolder } from '../../volume/layout.ts'

/**
 * What verification found in one environment or artifact and nobody healed yet: `envs/<key>/damaged.json`,
 * `artifacts/<kind>/<key>/damaged.json`. It lies in the environment's folder, so that asking costs a hit one stat that
 * fails, and it goes when the environment goes.
 * record-damage.ts writes it.
 */
export interface DamageRecord {
  readonly schemaVersion: 1
  /** ISO 8601. */
  readonly foundAt: string
  /** Relative to the tree, escaped; the root is `.`. */
  readonly paths: readonly string[]
  readonly contents: readonly DamagedContent[]
  /** Anything else may be damaged, too: what was recorded before can't be read. */
  readonly everything: boolean
}

/** A blob that is missing or damaged, and the files that must not be taken for it. */
export interface DamagedContent {
  /** 64 hex digits. */
  readonly sha256: string
  readonly executable: boolean
  readonly inodes: readonly number[]
}

const unreadable: DamageRecord = {
  schemaVersion: 1,
  foundAt: new Date(0).toISOString(),
  paths: [],
  contents: [],
  everything: true,
}

/** Null for nearly every environment. Errors: IO. */
export function pendingFindings(volume: At, key: Key): DamageRecord | null {
  return pendingIn(environmentFolder(volume, key))
}

/** Of what lies in this folder. Errors: IO. */
export function pendingIn(folder: string): DamageRecord | null {
  const file = join(folder, DAMAGED)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isDamageRecord(value) ? { ...value, everything: value.everything === true } : unreadable
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    if (error instanceof SyntaxError || hasErrno(error, 'EISDIR', 'EIO')) return unreadable
    throw machineError(error, file)
  }
}

function isDamageRecord(value: unknown): value is DamageRecord {
  if (typeof value !== 'object' || value === null) return false
  const { schemaVersion, foundAt, paths, contents } = value as Record<keyof DamageRecord, unknown>
  return (
    schemaVersion === 1 &&
    typeof foundAt === 'string' &&
    isListOf(paths, isText) &&
    isListOf(contents, isContent)
  )
}

function isContent(value: unknown): value is DamagedContent {
  if (typeof value !== 'object' || value === null) return false
  const { sha256, executable, inodes } = value as Record<keyof DamagedContent, unknown>
  return (
    isText(sha256) &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    typeof executable === 'boolean' &&
    isListOf(inodes, Number.isSafeInteger)
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne)
}
