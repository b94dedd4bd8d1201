import type { Key } from '../../digest.ts'

/**
 * What lies in the store and who has it, as numbers: contents (blobs) and trees are positions in arrays, so that a
 * million of them cost no objects. Bytes of disk are those of its blocks; other bytes are file sizes.
 */
export interface StoreFacts {
  readonly blobs: BlobFacts
  readonly trees: TreeFacts
  readonly environments: readonly EnvironmentFacts[]
  readonly packages: readonly PackageFacts[]
  readonly tasks: readonly TaskFacts[]
}

export interface BlobFacts {
  /** Bytes of disk; 0 for a content that isn't there. */
  readonly disk: Float64Array
  /** What else has it: `ARTIFACT`, `PYTHON` and `UV_CACHE` added up. */
  readonly elsewhere: Uint8Array
}

export const ARTIFACT = 1
export const PYTHON = 2
export const UV_CACHE = 4

/** The contents of tree `t` are those from `start[t]` up to `start[t + 1]`. */
export interface TreeFacts {
  readonly start: Uint32Array
  readonly blob: Uint32Array
  /** At how many paths the tree has the content. */
  readonly paths: Uint32Array
  /** How many of these are compiled modules. */
  readonly compiled: Uint32Array
}

export interface EnvironmentFacts {
  readonly key: Key
  readonly trees: Uint32Array
  /** Sum of its file sizes. */
  readonly apparent: number
  /** Bytes of disk that its tree alone has: folders, and files that are no contents of the store. */
  readonly own: number
  /** Bytes of disk of manifest, receipt and summary. */
  readonly records: number
  /** Bytes of disk of copies, made at the limit of links, that nothing else has. */
  readonly copies: number
}

export interface PackageFacts {
  readonly packageKey: Key
  readonly name: string
  readonly version: string
  readonly tree: number
  /** Sum of its file sizes. */
  readonly apparent: number
}

/** One task may have an environment in each of two places (on the host, in the default image). */
export interface TaskFacts {
  readonly task: string
  readonly lockfiles: string
  readonly key: Key
}
