import { randomUUID } from 'node:crypto'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { takeLease } from './take-lease.ts'

export interface LeasedFolder {
  readonly id: string
  /** Absolute, empty. */
  readonly folder: string
}

/**
 * Runs `work` with a staging folder that is leased for `keys`, the environments that are built in it. Afterwards the
 * folder is gone, unless `work` published it, and the lease is released, whatever happened; what can't be removed is
 * left to the next sweep, and doesn't hide how `work` ended.
 */
export async function withStagingFolder<T>(
  volume: Volume,
  keys: readonly string[],
  work: (leased: LeasedFolder) => T | Promise<T>,
): Promise<T> {
  requireOwner(volume)
  const id = randomUUID()
  const folder = stagingFolder(volume, id)
  const lease = takeLease(volume, { kind: 'build', keys, staging: id })
  try {
    try {
      onMachine(folder, () => makeFolders(folder))
      return await work({ id, folder })
    } finally {
      await removeFolder(folder).catch(() => {})
    }
  } finally {
    lease.release()
  }
}
