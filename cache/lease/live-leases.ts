import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno } from '../disk/machine-error.ts'
import { namesIn } from '../disk/names-in.ts'
import { leasesFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { processStart } from './holder/process-start.ts'
import { type Host, thisHost } from './holder/this-host.ts'
import { type LeaseRecord, readLeaseRecord } from './lease-record.ts'

/** How long a file that can't be understood is left alone. */
const graceMs = 10 * 60_000

export interface Leases {
  readonly live: readonly LeaseRecord[]
  readonly dead: readonly LeaseRecord[]
  /** Names in leases/ that are no leases (`.json`), or not yet; what is `fresh` somebody may still rely on. */
  readonly damaged: readonly { readonly name: string; readonly fresh: boolean }[]
}

/** Leases whose holder lives, as far as this host can tell. */
export function liveLeases(volume: Volume): readonly LeaseRecord[] {
  return readLeases(volume).live
}

/** Everything in leases/, judged. A lease that is there before the call and is not released is in the answer. */
export function readLeases(volume: Volume): Leases {
  const folder = leasesFolder(volume)
  const live: LeaseRecord[] = []
  const dead: LeaseRecord[] = []
  const damaged: { name: string; fresh: boolean }[] = []
  for (const name of namesIn(folder)) {
    if (name === '.fence') continue
    const path = join(folder, name)
    try {
      const lease = name.endsWith('.json') ? readLeaseRecord(path, name.slice(0, -'.json'.length)) : null
      if (lease !== null) (isAlive(lease) ? live : dead).push(lease)
      else damaged.push({ name, fresh: isFresh(path) })
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) continue // released meanwhile
      damaged.push({ name, fresh: isFresh(path) })
    }
  }
  return { live, dead, damaged }
}

/**
 * A holder on this host lives as long as its process: the pid with the same start time, in the same boot. One
 * that this host can't see, on another host or in another pid namespace, lives until the lease expires: while it
 * lives, it puts that off. A mount has no holder and lives until it expires.
 */
export function isAlive(lease: LeaseRecord, here: Host = thisHost(), now = Date.now()): boolean {
  if (lease.host === here.id && lease.bootId !== here.bootId) return false
  if (lease.kind !== 'mount' && lease.host === here.id && lease.pidNamespace === here.pidNamespace) {
    const start = processStart(lease.pid)
    return start === 'hidden' || start === lease.startTime
  }
  return Date.parse(lease.expires) > now
}

/** Also false for a time far in the future, which a clock set back would otherwise keep fresh for long. */
function isFresh(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && Math.abs(Date.now() - stats.ctimeMs) < graceMs
}
