import type { Key } from '../digest.ts'

/** An installed distribution as the store knows it: `packages/<aa>/<package key>.json`. Sizes in bytes. */
export interface PackageRecord {
  readonly schemaVersion: 1
  readonly packageKey: Key
  /** Normalized (PEP 503). */
  readonly name: string
  readonly version: string
  /** Digest of its tree, 64 hex digits; paths are relative to the virtualenv. */
  readonly tree: string
  readonly files: number
  readonly directories: number
  readonly bytes: number
  /** Of these, compiled modules. */
  readonly bytecode: { readonly files: number; readonly bytes: number }
  /** Modules that have no bytecode, by path, and why. */
  readonly uncompiled: readonly Uncompiled[]
  /** ISO 8601. */
  readonly createdAt: string
}

export interface Uncompiled {
  readonly path: string
  readonly reason: string
}
