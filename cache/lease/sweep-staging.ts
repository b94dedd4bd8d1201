import { join } from 'node:path'
import { hasErrno } from '../disk/machine-error.ts'
import { namesIn } from '../disk/names-in.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { leasesFolder, stagingFolder, stagingRoot } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { type Leases, readLeases } from './live-leases.ts'

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
 * seen. While a fresh file can't be understood it may be the lease of any folder, and all of them are left. So is what
 * this user may not remove: anybody can put a folder of his own into leases/.
 */
export async function sweepStaging(volume: Volume): Promise<Swept> {
  requireOwner(volume)
  const listed = namesIn(stagingRoot(volume))
  const { live, dead, damaged } = readLeases(volume)
  const inUse = new Set(live.map(lease => lease.staging))
  const unsure = damaged.some(({ name, fresh }) => fresh && name.endsWith('.json'))
  const staging = unsure ? [] : listed.filter(id => !inUse.has(id))
  const leases = [...dead.map(({ id }) => `${id}.json`), ...damaged.flatMap(stale)]
  const sweep = startSweep()
  return {
    staging: await sweep.removable(staging, id => stagingFolder(volume, id)),
    leases: await sweep.removable(leases, name => join(leasesFolder(volume), name)),
    bytesFreed: sweep.bytesFreed(),
  }
}

function stale({ name, fresh }: Leases['damaged'][number]): string[] {
  return fresh ? [] : [name]
}

function startSweep() {
  let freed = 0
  return {
    /** Those that could be removed, and were. */
    async removable(names: readonly string[], pathOf: (name: string) => string): Promise<string[]> {
      const removed: string[] = []
      for (const name of names) {
        try {
          freed += await removeFolder(pathOf(name))
          removed.push(name)
        } catch (error) {
          if (!isForbidden(error)) throw error
        }
      }
      return removed
    },
    bytesFreed: () => freed,
  }
}

/** ENOTEMPTY: somebody puts things into it all the time. */
function isForbidden(error: unknown): boolean {
  return error instanceof Error && hasErrno(error.cause, 'EACCES', 'EPERM', 'ENOTEMPTY')
}
