import { closeSync, constants, openSync } from 'node:fs'
import { machineError } from '../disk/machine-error.ts'
import { blobsFolder, quarantineFolder, stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { type Deposit, type DepositedFile, depositFile } from './deposit-file.ts'
import { linkError } from './link/link-error.ts'

/**
 * Makes one file, which nobody writes any more and whose digest was just proven, a blob. `staging` is the id of a
 * staging folder of the caller. Errors: as takeInFiles.
 */
export function depositOne(volume: Volume, file: DepositedFile, sha256: string, staging: string): Deposit {
  const place = file.place.toString()
  const depository = {
    blobs: blobsFolder(volume),
    quarantine: quarantineFolder(volume),
    staging: stagingFolder(volume, staging),
  }
  try {
    const fd = openSync(file.place, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      return depositFile(fd, file, sha256, depository)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    const dest = (error as { dest?: string }).dest
    throw dest === undefined ? machineError(error, place) : linkError(error, place, dest)
  }
}
