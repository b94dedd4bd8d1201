/** Results of `envd report`, as `--json` prints them. Sizes in bytes, of disk blocks unless said otherwise. */

import type { Part } from '../report/storage/parts.ts'
import type { Phase, PhaseSeconds } from './prepare.ts'

export interface StorageRequest {
  /** Of which alone to list task and packages, and with whom they share; empty: all. */
  readonly tasks: readonly string[]
}

export interface StorageReport {
  /** Path of the volume. */
  readonly volume: string
  /** What `du` says of the volume: the sum of `parts`. */
  readonly total: { readonly bytes: number }
  /** Every byte once, in the order of src/report/storage/parts.ts. */
  readonly parts: readonly { readonly part: Part; readonly bytes: number }[]
  /** Of this host, beside the volume and not in its total. */
  readonly index: { readonly path: string; readonly bytes: number }
  /** Folders that this user may not read: what they hold isn't counted. */
  readonly unread: readonly string[]
  readonly tasks: readonly TaskStorage[]
  readonly packages: readonly PackageStorage[]
  readonly comparison: Comparison
}

/** An environment of a task, or one that no task has as its last. */
export interface TaskStorage {
  readonly task: string | null
  /** Folder the task lies in. */
  readonly lockfiles: string | null
  readonly key: string
  readonly bytes: {
    /** Sum of file sizes. */
    readonly apparent: number
    /** What it would take alone, with a file for each of its paths. */
    readonly alone: number
    /** Contents that no other environment has. */
    readonly unique: number
    /** What `envd rm` frees at once: folders, records and copies that it alone has. */
    readonly freed: number
    /** That, and the contents that nothing has any more then; 0 where another task has the same environment. */
    readonly marginal: number
  }
  /** Other tasks that have the same environment. */
  readonly sameAs: readonly string[]
  /** Those with whom it shares most, by the size of the packages that both have; null where it wasn't asked for. */
  readonly sharedWith: readonly { readonly task: string; readonly bytes: number }[] | null
}

export interface PackageStorage {
  readonly name: string
  readonly version: string
  readonly packageKey: string
  /** How many environments have it. */
  readonly environments: number
  /** Tasks that have it, ten of them at most. */
  readonly tasks: readonly string[]
  readonly bytes: {
    readonly apparent: number
    /** Of its contents, each once. */
    readonly disk: number
    /** Of these, those that no other package has. */
    readonly unique: number
  }
}

/** What the same environments take here, and what they would take otherwise; base images left out everywhere. */
export interface Comparison {
  /** The whole volume without base images, interpreters, artifacts, tools and what comes in. */
  readonly here: number
  readonly others: readonly Counterfactual[]
}

export interface Counterfactual {
  readonly way: 'separate' | 'images' | 'uv'
  readonly bytes: number
  /** How many times what it takes here; null where nothing is here. */
  readonly factor: number | null
}

export interface BuildRequest {
  /** Milliseconds since 1970; null: everything that is known. */
  readonly sinceMs: number | null
  /** Of all time, what preparing takes, from 0 to 1. */
  readonly share: number | null
}

/** Times in seconds. */
export interface BuildReport {
  /** ISO 8601; null: everything that is known. */
  readonly since: string | null
  /** The oldest first. */
  readonly builds: readonly ReportedBuild[]
  readonly seconds: PhaseSeconds
  /** Phases that several builds went through at once count for each of them. */
  readonly phases: readonly { readonly phase: Phase; readonly seconds: number; readonly share: number }[]
  readonly rates: {
    /** Of the preparations by the volume's owner: those that built nothing. */
    readonly environment: LevelRate
    /** Of the packages that builds needed: those that the store had. */
    readonly package: LevelRate
    /** Of the files of packages that were brought: contents that the store had. */
    readonly file: LevelRate
  }
  readonly saved: {
    /** For each hit, what building that environment took last. */
    readonly seconds: number
    /** What builds took, without waiting for other builds. */
    readonly spent: number
    /** `seconds / (seconds + spent)`. */
    readonly reduction: number
    /** Hits of environments of which it isn't known how long building took; nothing is counted for them. */
    readonly unknownHits: number
  }
  /** Null where no share was stated. */
  readonly endToEnd: { readonly share: number; readonly reduction: number; readonly factor: number } | null
}

export interface ReportedBuild {
  /** When it ended, ISO 8601. */
  readonly at: string
  readonly key: string
  readonly task: string | null
  readonly seconds: PhaseSeconds
  readonly packages: { readonly known: number; readonly brought: number } | null
  readonly files: { readonly known: number; readonly brought: number } | null
  readonly bytes: { readonly apparent: number; readonly added: number }
}

export interface LevelRate {
  readonly asked: number
  readonly known: number
  /** `known / asked`; null where nothing was asked for. */
  readonly rate: number | null
}

/** `envd report`: both, the volume's total at the top. */
export interface FullReport extends StorageReport {
  readonly build: BuildReport
}
