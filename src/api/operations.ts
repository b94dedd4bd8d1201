/** Results of the operations other than prepare, as `--json` prints them. Sizes in bytes. */

/**
 * `lock changed`, `target changed`: an environment is there of the task as it was before its own files, or else the
 * interpreter, the base image or envd's rules, became others.
 */
export type TaskState = 'absent' | 'building' | 'ready' | 'lock changed' | 'target changed' | 'invalid'

export interface TaskRow {
  readonly task: string
  readonly state: TaskState
  readonly key: string | null
  readonly packages: number | null
  /** Sum of file sizes of its tree, null where it is not ready. */
  readonly bytes: number | null
  /** Why a task is invalid. */
  readonly problem?: string
  /** Of a task that names no base image: the environment its containers have, in the image that envd brings along. */
  readonly inDefaultImage?: InDefaultImage
}

export interface InDefaultImage {
  readonly image: string
  readonly state: 'ready' | 'lock changed' | 'target changed'
  readonly key: string
  readonly packages: number
  readonly bytes: number
}

export interface AddRequest {
  readonly task: string
  /** Path of the lock to copy in. */
  readonly lock: string
  readonly python?: string
  readonly extras?: readonly string[]
  readonly groups?: readonly string[]
  /** Name of the base image. */
  readonly baseImage?: string
}

/** What `envd add` understood. */
export interface AddedTask {
  readonly task: string
  readonly folder: string
  readonly lock: string
  readonly format: 'uv' | 'pylock' | 'requirements'
  readonly python: string | null
  readonly packages: number
  readonly extras: readonly string[]
  readonly groups: readonly string[]
  /** All that the lock has to choose from, sorted. */
  readonly available: { readonly extras: readonly string[]; readonly groups: readonly string[] }
  /** Null: it is for this host, and for the default image in containers. */
  readonly baseImage: string | null
  readonly leftOut: readonly string[]
  readonly indexes: readonly string[]
}

export interface RemovedEnvironment {
  readonly key: string
  readonly path: string
  readonly bytesFreed: number
  /** Tasks whose last key this was. */
  readonly tasks: readonly string[]
}

/** One fact that makes two keys differ, in words and as data. */
export interface Difference {
  /** `closure`, `target` or `recipe`. */
  readonly part: 'closure' | 'target' | 'recipe'
  readonly what: string
  readonly a: string | null
  readonly b: string | null
}

export interface Compared {
  /** As it was asked for. */
  readonly name: string
  readonly key: string
  /** Base image that a task is prepared for; null: this host, or `name` is a key. */
  readonly image: string | null
}

export interface WhyResult {
  readonly a: Compared
  readonly b: Compared
  readonly equal: boolean
  readonly differences: readonly Difference[]
}

export interface VolumeInfo {
  readonly path: string
  readonly id: string
  readonly layout: number
  readonly owner: number
  readonly bytes: { readonly free: number; readonly total: number }
  readonly environments: number
}

export interface VolumeUpgrade {
  readonly path: string
  readonly from: number
  readonly to: number
}

export interface VolumeRemoval {
  readonly path: string
  /** False for a dry run. */
  readonly removed: boolean
  readonly environments: number
  readonly bytes: number
}

/** What the index of the volume on this host knows; everything in it is on the volume, too. */
export interface IndexStatus {
  readonly path: string
  /** Of the file, in bytes. */
  readonly size: number
  /** Nothing on the volume is other than in the index. */
  readonly current: boolean
  /** How many things are: added, gone or used since. */
  readonly changes: number
  readonly environments: number
  readonly packages: number
  readonly trees: number
  readonly blobs: number
  readonly tasks: number
  /** Files on the volume that can't be understood; not among the counts. */
  readonly damaged: number
  readonly bytes: {
    /** Sum of the file sizes of every environment. */
    readonly apparent: number
    /** The same with each content counted once, and with what no environment has. */
    readonly unique: number
  }
}

export interface VerifyRequest {
  /** Tasks and keys; empty: everything on the volume. */
  readonly references: readonly string[]
  /** Compare size, mode, time and samples; hash only what differs, or was never hashed. */
  readonly quick: boolean
  readonly heal: boolean
}

export interface VerifyResult {
  readonly quick: boolean
  readonly checked: {
    readonly environments: number
    /** Contents of the store. */
    readonly blobs: number
    /** Of environments: files, folders and links. */
    readonly paths: number
    /** What was read whole. */
    readonly hashed: { readonly files: number; readonly bytes: number }
  }
  readonly seconds: number
  readonly findings: readonly VerifyFinding[]
  /** Where it is recorded; null where nothing was found, or this user doesn't own the volume. */
  readonly record: string | null
}

/** One thing that is wrong, wherever on the volume it shows. */
export interface VerifyFinding {
  readonly damage: 'changed' | 'truncated' | 'missing' | 'foreign' | 'mode' | 'time' | 'unreadable'
  readonly detail: string
  /** All its names, relative to the volume, escaped; a blob comes first. */
  readonly paths: readonly string[]
  /** The content of the store that belongs there, if it is one. */
  readonly sha256: string | null
  /** Every environment it reaches, and the tasks whose last key that was. */
  readonly environments: readonly { readonly key: string; readonly tasks: readonly string[] }[]
  /** Every artifact it reaches, and the tasks of the folder of tasks that name it. */
  readonly artifacts: readonly {
    readonly key: string
    /** `org/name@commit`, or where it came from. */
    readonly name: string
    readonly tasks: readonly string[]
  }[]
  /**
   * Null where healing was not asked for. `next prepare`: the next prepare of its environments and artifacts brings
   * what is needed;
   * `next import`: taking in the interpreter again does.
   * `quarantined`: nothing needs it. `busy`: a process builds or removes an environment it reaches.
   */
  readonly healing: 'healed' | 'next prepare' | 'next import' | 'quarantined' | 'busy' | null
}

export interface Versions {
  readonly envd: string
  /** The pinned uv. */
  readonly uv: string
  readonly layout: number
}

/** What `envd run` needs: held until `release`. */
export interface EnvironmentInUse {
  readonly key: string
  readonly path: string
  /** Variables to set (PATH, VIRTUAL_ENV …); null unsets. */
  readonly variables: Readonly<Record<string, string | null>>
  /** The process that uses it: it keeps the lease if this one is killed. */
  handTo(pid: number): void
  release(): void
}
