import { randomUUID } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { removeFolder } from '../../../cache/disk/remove-folder.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { faultPoint } from '../../../cache/volume/fault-point.ts'
import { stagingFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'

export interface Staging {
  readonly id: string
  /** Absolute, empty. */
  readonly folder: string
  /** When it was made: milliseconds since the epoch on the file system's clock. */
  readonly startedMs: number
}

/**
 * Runs `work` with a leased staging folder. What others left in staging is swept first; ours is gone afterwards,
 * unless `work` published it. `keys`: the environments that are being built.
 */
export async function withStaging<T>(
  volume: Volume,
  keys: readonly string[],
  work: (staging: Staging) => Promise<T>,
): Promise<T> {
  requireOwner(volume)
  const id = randomUUID()
  const lease = takeLease(volume, { kind: 'build', keys, staging: id })
  const folder = stagingFolder(volume, id)
  try {
    faultPoint('build:after-lease')
    await sweepStaging(volume)
    makeFolders(folder)
    faultPoint('build:after-staging')
    return await work({ id, folder, startedMs: lstatSync(folder).birthtimeMs })
  } finally {
    await removeFolder(folder)
    lease.release()
  }
}
