/** What `prepare` is asked and answers; the shapes `--json` prints. Sizes in bytes, times in seconds. */

import type { Digest } from '../digest.ts'
import type { ErrorCode, ErrorDetails } from '../error.ts'
import type { ArtifactRow, FetchedArtifactRow } from './artifacts.ts'

export interface PrepareRequest {
  /** Task names; each is prepared on its own. */
  readonly tasks: readonly string[]
  /** Select the closure and name the key, build nothing. */
  readonly dryRun?: boolean
}

export interface PreparedTask {
  readonly task: string
  readonly key: string
  /** The environment's `tree/`, absolute; where it will be, for a dry run. */
  readonly path: string
  /** True when this call did not build it: a hit, or another process's build was waited for. */
  readonly reused: boolean
  readonly packages: number
  /** 0 in a dry run of what is not ready. */
  readonly files: number
  readonly bytes: {
    /** Sum of file sizes of the tree. */
    readonly apparent: number
    /** Disk blocks this call added to the volume, uv's cache included. */
    readonly added: number
  }
  readonly seconds: PhaseSeconds
  /** Base image it is prepared for; absent: this host. */
  readonly image?: string
  /** Members of the locked project that are not installed from the lock. */
  readonly leftOut?: readonly string[]
  /** Of a build: paths that several packages have with different contents, and whose lies there. */
  readonly conflicts?: readonly {
    readonly path: string
    readonly owners: readonly string[]
    readonly winner: string | null
  }[]
  /** Weights and data sets of the task, where it names some. */
  readonly artifacts?: readonly (ArtifactRow | FetchedArtifactRow)[]
  /** Dry run only. */
  readonly closure?: readonly ClosureRow[]
  /** Dry run only: true when the environment is ready. */
  readonly ready?: boolean
}

export interface PhaseSeconds {
  readonly total: number
  readonly wait: number
  readonly resolve: number
  readonly download: number
  readonly install: number
  readonly compile: number
  readonly hash: number
  readonly link: number
  readonly seal: number
}

export interface ClosureRow {
  readonly name: string
  readonly version: string | null
  readonly filename: string | null
  /** Null for git. */
  readonly digest: Digest | null
  readonly size: number | null
}

export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly details: ErrorDetails
}

/** One task of several: its result or its error. */
export type PrepareOutcome =
  | { readonly task: string; readonly ok: true; readonly result: PreparedTask }
  | { readonly task: string; readonly ok: false; readonly error: ErrorBody }

export type Phase = keyof PhaseSeconds

/** Progress of one task. Rendering decides what is shown; nothing depends on an event being seen. */
export interface PrepareEvent {
  readonly task: string
  readonly phase: Phase
  /** What is being done, for a person: `downloading torch (2.1 GB)`. */
  readonly message: string
  readonly done?: number
  readonly total?: number
  readonly unit?: 'packages' | 'files' | 'bytes'
  /** Of a download. */
  readonly bytesPerSecond?: number
  /** Set while another process builds the same key. */
  readonly builder?: { readonly pid: number; readonly host: string; readonly waitedSeconds: number }
}
