import { randomUUID } from 'node:crypto'
import { makeFolders } from '../../disk/make-folder.ts'
import { removeFolder } from '../../disk/remove-folder.ts'
import { takeLease } from '../../lease/take-lease.ts'
import { stagingFolder } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { requireOwner } from '../../volume/require-owner.ts'

/** Runs `work` with a leased folder for what is about to be renamed into place; it is gone afterwards. */
export async function withHealStaging<T>(
  volume: Volume,
  work: (folder: string) => T | Promise<T>,
): Promise<T> {
  requireOwner(volume)
  const id = randomUUID()
  const lease = takeLease(volume, { kind: 'build', keys: [], staging: id })
  const folder = stagingFolder(volume, id)
  try {
    try {
      makeFolders(folder)
      return await work(folder)
    } finally {
      await removeFolder(folder)
    }
  } finally {
    lease.release()
  }
}
