import type { Digest } from '../digest.ts'

/**
 * Where a distribution's bytes come from, as far as it is identity (design decision 6): registries are one
 * and the same, since the digest says it all; direct URLs (credentials removed) and git commits are named.
 */
export type DistributionSource =
  | { readonly kind: 'registry' }
  | { readonly kind: 'url'; readonly url: string; readonly subdirectory: string | null }
  | {
      readonly kind: 'git'
      readonly url: string
      /** 40 (or 64) lowercase hex digits. */
      readonly commit: string
      readonly subdirectory: string | null
    }

export interface Distribution {
  /** Normalized by PEP 503. */
  readonly name: string
  /** Normalized by PEP 440; null for git, whose version only its build tells. */
  readonly version: string | null
  /** Exact file name; null for git. */
  readonly filename: string | null
  /** Null for git only. */
  readonly digest: Digest | null
  /** Bytes, where the lock tells. Not identity. */
  readonly size: number | null
  readonly format: 'wheel' | 'sdist' | 'git'
  readonly source: DistributionSource
  /** URL of the index the lock names for it, null for the default one. Not identity. */
  readonly index: string | null
}

/** A member of the locked project, which is not installed from the lock. */
export interface LeftOut {
  readonly name: string
  readonly kind: 'editable' | 'path' | 'virtual' | 'directory'
  /** As the lock writes it. */
  readonly path: string
}

export interface Closure {
  /** Sorted by name; each name once. */
  readonly distributions: readonly Distribution[]
  readonly leftOut: readonly LeftOut[]
}
