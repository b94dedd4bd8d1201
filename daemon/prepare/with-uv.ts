import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../../cache/disk/make-folder.ts'
import { removeFolder } from '../../cache/disk/remove-folder.ts'
import { sweepStaging } from '../../cache/lease/sweep-staging.ts'
import { takeLease } from '../../cache/lease/take-lease.ts'
import { faultPoint } from '../../cache/volume/fault-point.ts'
import { logsFolder, stagingFolder } from '../../cache/volume/layout.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { Target } from '../../src/target/target.ts'
import { bringUv } from '../uv/bring-uv.ts'
import { readIndexConfiguration } from '../uv/index-configuration.ts'
import type { UvSession } from '../uv/run/uv-session.ts'

export interface UvWork {
  readonly session: UvSession
  /** Id of the staging folder, which is empty but for `tmp/`. */
  readonly staging: string
  readonly folder: string
  /** When it began, in milliseconds since the epoch on the file system's clock. */
  readonly startedMs: number
}

export interface UvWorkRequest {
  readonly configuration: Configuration
  readonly volume: Volume
  readonly target: Target
  /** Keys of the environments that are being built. */
  readonly keys: readonly string[]
  /** Indexes that the lock names beyond its default one. */
  readonly furtherIndexes: readonly string[]
  /** Name of the log that uv's output goes to. */
  readonly log: string
  readonly signal: AbortSignal
  onMessage(message: string): void
}

/**
 * Runs `work` with a leased staging folder and a uv that can be run. What others left in staging is swept
 * first; ours is gone afterwards, unless `work` published it.
 */
export async function withUv<T>(request: UvWorkRequest, work: (uv: UvWork) => Promise<T>): Promise<T> {
  const { configuration, volume, signal } = request
  requireOwner(volume)
  const index = readIndexConfiguration({
    environment: process.env,
    furtherIndexes: request.furtherIndexes,
    mapping: new Map(Object.entries(configuration.indexes)),
  })
  const staging = randomUUID()
  const lease = takeLease(volume, { kind: 'build', keys: [...request.keys], staging })
  const folder = stagingFolder(volume, staging)
  try {
    faultPoint('build:after-lease')
    await sweepStaging(volume)
    const temporaryFolder = join(folder, 'tmp')
    makeFolders(temporaryFolder)
    faultPoint('build:after-staging')
    const uv = await bringUv(volume, {
      interpreters: [request.target.interpreter],
      environment: process.env,
      signal,
      onMessage: request.onMessage,
    })
    const logFile = join(logsFolder(volume), `${request.log}.log`)
    const session = { uv, index, environment: process.env, temporaryFolder, logFile, signal }
    return await work({ session, staging, folder, startedMs: lstatSync(folder).birthtimeMs })
  } finally {
    await removeFolder(folder)
    lease.release()
  }
}
