import type { Digest } from '../digest.ts'
import type { LeftOut } from '../closure/closure.ts'
import type { Place } from '../error.ts'
import type { Marker } from '../marker/marker.ts'

/** The one model all lock formats are lowered to: a graph of packages with conditional edges. */
export interface Lock {
  readonly format: 'uv' | 'pylock' | 'requirements'
  /** File name, for messages. */
  readonly file: string
  /** PEP 440 specifiers, null where the lock has none. */
  readonly requiresPython: string | null
  /** The lock holds for targets where one of these is true; empty: for all. */
  readonly environments: readonly Marker[]
  readonly packages: readonly LockedPackage[]
  /** What is installed with no extra and no group. */
  readonly roots: readonly Edge[]
  /** What each extra of the locked project adds. */
  readonly extras: ReadonlyMap<string, readonly Edge[]>
  /** What each dependency group adds. */
  readonly groups: ReadonlyMap<string, readonly Edge[]>
  /** Sets of which at most one may be chosen. */
  readonly conflicts: readonly (readonly ConflictItem[])[]
  /** URLs of the indexes named beyond the default one. */
  readonly furtherIndexes: readonly string[]
  /** True for requirements until `withFiles` has told the file names of their digests. */
  readonly needsFiles: boolean
}

export interface ConflictItem {
  readonly package: string
  readonly extra: string | null
  readonly group: string | null
}

export interface LockedPackage {
  readonly name: string
  readonly version: string | null
  readonly source: LockedSource
  readonly requiresPython: string | null
  readonly wheels: readonly LockedFile[]
  readonly sdist: LockedFile | null
  /** Requirements only: the digests one of which the file must have. */
  readonly digests: readonly Digest[]
  readonly dependencies: readonly Edge[]
  readonly extras: ReadonlyMap<string, readonly Edge[]>
  readonly place: Place
}

export type LockedSource =
  /** `index` is the URL the lock names, null for the default index. */
  | { readonly kind: 'registry'; readonly index: string | null }
  | { readonly kind: 'url'; readonly url: string; readonly subdirectory: string | null }
  | { readonly kind: 'git'; readonly url: string; readonly commit: string; readonly subdirectory: string | null }
  | { readonly kind: 'member'; readonly member: LeftOut['kind']; readonly path: string }

export interface LockedFile {
  readonly filename: string
  readonly digest: Digest
  readonly size: number | null
}

export interface Edge {
  /** Position in `packages`. */
  readonly to: number
  /** Extras of the package at the other end. */
  readonly extras: readonly string[]
  readonly marker: Marker | null
}
