import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { writeDurable } from '../volume/durable.ts'
import { type At, DAMAGED, environmentFolder } from '../volume/layout.ts'
import { hasErrno, onMachine } from '../volume/machine-error.ts'

/**
 * What verification found in one environment and nobody healed yet: `envs/<key>/damaged.json`. It lies in the
 * environment's folder, so that asking costs a hit one stat that fails, and it goes when the environment goes.
 */
export interface DamageRecord {
  readonly schemaVersion: 1
  /** ISO 8601. */
  readonly foundAt: string
  /** Relative to the tree, escaped; the root is `.`. */
  readonly paths: readonly string[]
  readonly contents: readonly DamagedContent[]
}

/** A blob that is missing or damaged, and the files that must not be taken for it. */
export interface DamagedContent {
  /** 64 hex digits. */
  readonly sha256: string
  readonly executable: boolean
  readonly inodes: readonly number[]
}

/** Null for nearly every environment. Errors: IO. */
export function pendingFindings(volume: At, key: Key): DamageRecord | null {
  const file = join(environmentFolder(volume, key), DAMAGED)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
  return onMachine(file, () => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as DamageRecord
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return null
      throw error
    }
  })
}

/** Together with what was recorded before. */
export function recordDamage(volume: At, key: Key, found: Pick<DamageRecord, 'paths' | 'contents'>): void {
  const before = pendingFindings(volume, key)
  const contents = new Map<string, DamagedContent>()
  for (const { sha256, executable, inodes } of [...(before?.contents ?? []), ...found.contents]) {
    const name = `${sha256} ${executable}`
    const known = contents.get(name)?.inodes ?? []
    contents.set(name, { sha256, executable, inodes: [...new Set([...known, ...inodes])] })
  }
  replaceDamage(volume, key, {
    foundAt: new Date().toISOString(),
    paths: [...new Set([...(before?.paths ?? []), ...found.paths])],
    contents: [...contents.values()],
  })
}

/** What is left of it. */
export function replaceDamage(
  volume: At,
  key: Key,
  left: Pick<DamageRecord, 'foundAt' | 'paths' | 'contents'>,
): void {
  const { foundAt, paths, contents } = left
  const record: DamageRecord = {
    schemaVersion: 1,
    foundAt,
    paths: [...paths].sort(),
    contents: [...contents],
  }
  writeDurable(join(environmentFolder(volume, key), DAMAGED), JSON.stringify(record), { mode: 0o644 })
}

export function clearDamage(volume: At, key: Key): void {
  const file = join(environmentFolder(volume, key), DAMAGED)
  onMachine(file, () => rmSync(file, { force: true }))
}
