import type { LeftOut } from '../closure/closure.ts'
import type { Digest } from '../digest.ts'
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
  /** Groups that are chosen whatever else is (PEP 751, `default-groups`). */
  readonly defaultGroups: readonly string[]
  /** Sets of which at most one may be chosen. */
  readonly conflicts: readonly (readonly ConflictItem[])[]
  /** URLs of the indexes named beyond the default one. */
  readonly furtherIndexes: readonly string[]
  /** True for requirements until `withFiles` has told the file names of their digests. */
  readonly needsFiles: boolean
  /** Where a key of the lock's head stands, for errors. */
  locate(key: string): Place
}

export interface ConflictItem {
  readonly package: string
  readonly extra: string | null
  readonly group: string | null
}

export interface LockedPackage {
  /** Normalized by PEP 503. */
  readonly name: string
  /** Normalized by PEP 440; null where the lock tells none. */
  readonly version: string | null
  readonly source: LockedSource
  readonly requiresPython: string | null
  /** What `--only-binary` (wheel) and `--no-binary` (sdist) of a requirements lock leave. */
  readonly only: 'wheel' | 'sdist' | null
  readonly wheels: readonly LockedFile[]
  readonly sdist: LockedFile | null
  /** Requirements only: the digests one of which the file must have. */
  readonly digests: readonly Digest[]
  readonly dependencies: readonly Edge[]
  /** What each extra of it adds. */
  readonly extras: ReadonlyMap<string, readonly Edge[]>
  readonly place: Place
}

export type LockedSource =
  /** `index` is the URL the lock names, null for the default index. */
  | { readonly kind: 'registry'; readonly index: string | null }
  | { readonly kind: 'url'; readonly url: string; readonly subdirectory: string | null }
  | {
      readonly kind: 'git'
      readonly url: string
      readonly commit: string
      readonly subdirectory: string | null
    }
  | { readonly kind: 'member'; readonly member: LeftOut['kind']; readonly path: string }
  /** An archive on the machine of whoever locked; refused when it is selected. */
  | { readonly kind: 'local file'; readonly path: string }

export interface LockedFile {
  readonly filename: string
  /**
   * Null where the lock has none, or only one weaker than sha256, which `weak` then names: locks hold many
   * files that no target of ours needs, so it is refused when the file is chosen.
   */
  readonly digest: Digest | null
  readonly weak: string | null
  readonly size: number | null
  readonly place: Place
}

export interface Edge {
  /** Position in `packages`. */
  readonly to: number
  /** Extras of the package at the other end. */
  readonly extras: readonly string[]
  readonly marker: Marker | null
}
