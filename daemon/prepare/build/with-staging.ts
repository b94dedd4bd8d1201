import { lstatSync } from 'node:fs'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { type LeasedFolder, withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { faultPoint } from '../../../cache/volume/fault-point.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'

export interface Staging extends LeasedFolder {
  /** When it was made: milliseconds since the epoch on the file system's clock. */
  readonly startedMs: number
}

/** As `withStagingFolder`; what others left in staging is swept first. */
export function withStaging<T>(
  volume: Volume,
  keys: readonly string[],
  work: (staging: Staging) => Promise<T>,
): Promise<T> {
  return withStagingFolder(volume, keys, async leased => {
    faultPoint('build:after-staging')
    const startedMs = lstatSync(leased.folder).birthtimeMs
    await sweepStaging(volume)
    faultPoint('build:after-sweep')
    return work({ ...leased, startedMs })
  })
}
