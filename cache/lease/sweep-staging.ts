import { join } from 'node:path'
import { namesIn } from '../disk/names-in.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { leaseFile, leasesFolder, stagingFolder, stagingRoot } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { readLeases } from './live-leases.ts'

export interface Swept {
  /** Ids of staging folders. */
  readonly staging: readonly string[]
  /** Names of files in leases/. */
  readonly leases: readonly string[]
  /** Disk blocks that became free, in bytes. */
  readonly bytesFreed: number
}

/**
 * Removes what builds left behind that did not end well: staging folders of no live lease, dead leases, and
 * files that are no leases. Safe beside builds that are starting: a build takes its lease before it makes its
 * folder, and here the folders are listed before the leases are read; so the lease of every listed folder is
 * seen. While a fresh file can't be understood it may be the lease of any folder, and all of them are left.
 */
export async function sweepStaging(volume: Volume): Promise<Swept> {
  requireOwner(volume)
  const listed = namesIn(stagingRoot(volume))
  const { live, dead, damaged } = readLeases(volume)
  const inUse = new Set(live.map(lease => lease.staging))
  const unsure = damaged.some(({ name, fresh }) => fresh && name.endsWith('.json'))
  const staging = unsure ? [] : listed.filter(id => !inUse.has(id))
  let bytesFreed = 0
  for (const id of staging) bytesFreed += await removeFolder(stagingFolder(volume, id))
  const leases = [
    ...dead.map(({ id }) => leaseFile(volume, id)),
    ...damaged.filter(({ fresh }) => !fresh).map(({ name }) => join(leasesFolder(volume), name)),
  ]
  for (const path of leases) bytesFreed += await removeFolder(path)
  return { staging, leases, bytesFreed }
}
