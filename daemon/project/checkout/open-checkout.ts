import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { removeFolder } from '../../../cache/disk/remove-folder.ts'
import { sweepStaging } from '../../../cache/lease/sweep-staging.ts'
import { takeLease } from '../../../cache/lease/take-lease.ts'
import { stagingFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import { EnvdError } from '../../../src/error.ts'
import { copyFolder } from './copy-folder.ts'
import { unpackCheckout } from './unpack-checkout.ts'

/** A copy of a checkout that belongs to one container. */
export interface Checkout {
  /** Absolute, on this host. */
  readonly folder: string
  /** From here on it is kept for as long as that process, a child's, lives. */
  handTo(pid: number): void
  /** It is gone afterwards. */
  release(): Promise<void>
}

/**
 * Copies a folder as it is (with what git doesn't track, and with `.git`), or unpacks a tar archive. The source is only
 * read. The copy lies in staging, under a lease: it is swept where whoever used it was killed. What others left goes
 * now. Errors: PROJECT_NOT_FOUND, ARCHIVE_REFUSED, VOLUME_NOT_OWNER, DISK_FULL, IO, the signal's reason.
 */
export async function openCheckout(volume: Volume, source: string, signal: AbortSignal): Promise<Checkout> {
  const place = placeOf(volume, source)
  requireOwner(volume)
  await sweepStaging(volume)
  const id = randomUUID()
  const staging = stagingFolder(volume, id)
  const folder = join(staging, 'checkout')
  const lease = takeLease(volume, { kind: 'run', keys: [], staging: id })
  const release = async () => {
    await removeFolder(staging).catch(() => {})
    lease.release()
  }
  try {
    onMachine(folder, () => {
      // Closed to others: a file that is set-uid in the source belongs to this user here.
      makeFolder(staging, 0o700)
      makeFolder(folder)
    })
    if (statSync(place).isDirectory()) await copyFolder(place, folder, signal)
    else await unpackCheckout(place, folder, signal)
  } catch (error) {
    await release()
    throw error
  }
  return { folder, handTo: pid => lease.handTo(pid), release }
}

function placeOf({ root }: Volume, source: string): string {
  if (!existsSync(source)) {
    throw new EnvdError('PROJECT_NOT_FOUND', `there is nothing at ${source}`, { details: { source } })
  }
  const place = onMachine(source, () => realpathSync(source))
  if (`${realpathSync(root)}/`.startsWith(`${place.replace(/\/$/, '')}/`)) {
    throw new EnvdError('PROJECT_NOT_FOUND', `${source} is no checkout: the volume lies in it`, {
      details: { source },
    })
  }
  return place
}
