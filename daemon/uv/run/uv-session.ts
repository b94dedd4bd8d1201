import type { Target } from '../../../src/target/target.ts'
import type { IndexConfiguration } from '../index-configuration.ts'
import type { Uv } from '../pinned-uv.ts'

/** What the runs of uv of one build have in common. */
export interface UvSession {
  readonly uv: Uv
  /** The interpreter that uv works with, on this host: of the exact version and ABI of what is built for. */
  readonly builder: Target
  readonly index: IndexConfiguration
  /** The user's variables; uv sees an allow-listed part of them. */
  readonly environment: NodeJS.ProcessEnv
  /** TMPDIR of uv and of what it builds: on the volume, in staging. */
  readonly temporaryFolder: string
  /** File that what uv says is appended to, credentials redacted. */
  readonly logFile: string
  readonly signal: AbortSignal
}
