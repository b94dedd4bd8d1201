import type { PhaseSeconds } from '../../api/prepare.ts'
import type { Key } from '../../digest.ts'

/**
 * What a build took: a line of `history/builds-<year>-<month>.jsonl`, or found in the receipt of an environment that was
 * built before these were kept. Times in seconds, sizes in bytes.
 */
export interface BuildRecord {
  readonly schemaVersion: 1
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly key: Key
  /** Null where the receipt doesn't tell. */
  readonly task: string | null
  readonly seconds: PhaseSeconds
  /** Null where it isn't known. */
  readonly found: {
    /** Of its packages: those that the store had, and those that were brought. */
    readonly packages: Found
    /** Of the files of packages that were brought: contents that the store had, and new ones. */
    readonly files: Found
  } | null
  readonly bytes: { readonly apparent: number; readonly added: number }
}

export interface Found {
  readonly known: number
  readonly brought: number
}

/** Hits by the first 16 digits of the key. */
export type Hits = ReadonlyMap<string, number>
