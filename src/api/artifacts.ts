/** Weights and data sets of tasks, as `--json` prints them. Sizes in bytes. */

import type { Receipt } from '../report/receipt.ts'

export interface ArtifactRow {
  /** Repository, URL or directory, for people. */
  readonly name: string
  readonly kind: 'hub' | 'url' | 'directory'
  readonly key: string
  /** Commit, sha256 or digest of a tree. */
  readonly pin: string
  /** Where a container sees it. */
  readonly destination: string
  /** Its `tree/` on the volume; null while it is not there. */
  readonly path: string | null
  readonly files: number | null
  readonly bytes: number | null
}

export interface FetchedArtifactRow extends ArtifactRow {
  /** It was there, or another process brought it. */
  readonly reused: boolean
  /** Bytes that came over the network. */
  readonly received: number
}

/** Of one task. */
export interface TaskArtifacts {
  readonly task: string
  readonly artifacts: readonly ArtifactRow[]
  /** Why its task.toml can't be read. */
  readonly problem?: string
}

export interface FetchedTask {
  readonly task: string
  readonly artifacts: readonly FetchedArtifactRow[]
}

export type AddArtifactRequest =
  | {
      readonly kind: 'hub'
      readonly repository: string
      readonly type: string
      /** Commit, branch or tag. */
      readonly revision: string
      readonly include: readonly string[]
      readonly exclude: readonly string[]
    }
  | {
      readonly kind: 'url'
      readonly url: string
      readonly sha256: string | null
      readonly unpack: boolean
      readonly name: string | null
    }
  | { readonly kind: 'directory'; readonly directory: string; readonly name: string | null }

export interface AddedArtifact {
  readonly task: string
  /** The task.toml that was changed. */
  readonly file: string
  readonly artifact: ArtifactRow
  /** What was added, as it stands there. */
  readonly text: string
}

export interface PinnedTask {
  readonly task: string
  readonly file: string
  readonly pinned: readonly {
    readonly name: string
    readonly key: 'revision' | 'tree'
    /** What stood there; null: nothing. */
    readonly from: string | null
    readonly to: string
  }[]
}

/** What `envd show` prints: the receipt of an environment; by task, its artifacts too, which no receipt knows. */
export interface ShownEnvironment extends Receipt {
  readonly artifacts?: readonly ArtifactRow[]
}
