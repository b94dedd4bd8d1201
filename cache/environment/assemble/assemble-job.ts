/** What assemble-threads.ts and assemble-worker.ts say to each other. Paths are escaped, relative to the tree. */

export interface ThreadData {
  /** The volume. */
  readonly root: string
  readonly tree: string
  /** All packages of the environment, in the order in which threads take them; `index` is the caller's. */
  readonly packages: readonly { readonly index: number; readonly digest: string }[]
  /** One number that the threads share: how many of these are taken in the job that goes on. */
  readonly taken: Int32Array<SharedArrayBuffer>
}

/** Each is done by all threads before the next begins. */
export type AssembleJob =
  /** Makes directories and links. */
  | { readonly do: 'packages'; readonly skeleton: Skeleton; readonly folderMode: FolderMode }
  /** Finds out which packages have these paths. */
  | { readonly do: 'owners'; readonly paths: readonly string[] }
  /** Seals the directories, unless they were made so. */
  | { readonly do: 'close' }

/** Of a directory that packages come into: sealed from the start where its maker may write into it all the same. */
export type FolderMode = 0o555 | 0o755

/** What lies in the tree before any package does. */
export interface Skeleton {
  readonly directories: readonly string[]
  /** Files and symbolic links. */
  readonly others: readonly string[]
}

export type AssembleAnswer =
  | { readonly done: 'package'; readonly index: number }
  | PackagesAnswer
  | { readonly done: 'owners'; readonly claims: readonly Claim[] }
  /** Disk blocks of the directories that the thread made, in bytes. */
  | { readonly done: 'close'; readonly diskBytes: number }
  | FailedAnswer

export interface PackagesAnswer {
  readonly done: 'packages'
  readonly directories: number
  readonly counts: LinkCounts
  readonly occupied: readonly Occupied[]
  readonly unlinked: readonly Unlinked[]
}

export interface FailedAnswer {
  readonly done: 'failed'
  readonly code: string | undefined
  readonly syscall: string | undefined
  readonly path: string | undefined
  /** Second path of the system call, for link(2). */
  readonly dest: string | undefined
  readonly message: string
}

/** Of what was made: files, symbolic links, sum of file sizes. */
export interface LinkCounts {
  files: number
  links: number
  bytes: number
}

/** Something lay at this path of the package already. */
export interface Occupied {
  readonly index: number
  readonly path: string
}

/** What a package has at a path. */
export interface Claim {
  readonly index: number
  readonly path: string
  readonly content: Content
}

export type Content =
  | { readonly kind: 'file'; readonly sha256: string; readonly executable: boolean; readonly size: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }

/** A file whose blob can have no more links. */
export interface Unlinked {
  readonly index: number
  readonly path: string
  readonly sha256: string
  readonly executable: boolean
  /** Bytes. */
  readonly size: number
}
