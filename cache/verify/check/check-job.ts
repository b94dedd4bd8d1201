/** What check-threads.ts and verify-worker.ts say to each other. */
import type { TreeEntry } from '../../../src/tree/manifest.ts'
import type { Content, Problem } from '../problem.ts'
import type { NumberTableMemory } from './number-table.ts'

export interface ThreadData {
  /** The volume. */
  readonly root: string
  /** Which of how many threads this is: each has its own folders of blobs, and folders of environments. */
  readonly thread: number
  readonly threads: number
  /** Trust a sample where there is one to compare with. */
  readonly quick: boolean
}

/** Each is done by all threads before the next begins. */
export type CheckJob =
  | { readonly do: 'blobs'; readonly trees: readonly string[]; readonly all: boolean }
  | { readonly do: 'share'; readonly tables: readonly NumberTableMemory[] }
  | ({ readonly do: 'tree' } & TreeToCheck)
  /** Keeps samples of what was hashed, but of these contents. */
  | { readonly do: 'samples'; readonly except: readonly string[] }

/** An environment, an interpreter that was taken in, or an artifact. */
export interface TreeToCheck {
  /** What its `tree/` lies in, relative to the volume: `envs/<key>`. */
  readonly folder: string
  /** Digests of the trees it consists of, of packages or its own, later ones before earlier ones where they share a path. */
  readonly trees: readonly string[]
  readonly skeleton: readonly TreeEntry[]
  /** Paths of these trees at which nothing lies; default: none. */
  readonly absent?: readonly string[]
}

export type CheckAnswer =
  | {
      readonly done: 'blobs'
      readonly checked: number
      readonly hashed: { readonly files: number; readonly bytes: number }
      readonly table: NumberTableMemory
    }
  | { readonly done: 'share' }
  | { readonly done: 'tree'; readonly checked: number }
  | { readonly done: 'samples' }
  | { readonly done: 'some'; readonly problems: readonly Problem[]; readonly suspects: readonly Suspect[] }
  | { readonly done: 'failed'; readonly error: unknown }

/** A file whose contents have to be hashed. */
export interface Suspect {
  /** Relative to the volume, escaped; null: the blob itself. */
  readonly path: string | null
  readonly content: Content
  /** A file of the store, and not an environment's own. */
  readonly shared: boolean
  /** Bytes, as it is. */
  readonly size: number
  readonly inode: number
  /** What is wrong with it even if its contents are right. */
  readonly wrong: Pick<Problem, 'damage' | 'detail'> | null
}
