import { randomUUID } from 'node:crypto'
import type { Volume } from '../volume/open-volume.ts'
import { processStart } from './holder/process-start.ts'
import type { LeaseRecord } from './lease-record.ts'
import { expiry, newClaim, publishLease, removeLease, writeLease } from './write-lease.ts'

export interface LeaseRequest {
  readonly kind: 'build' | 'run'
  readonly keys: readonly string[]
  /** Staging folder of a build; the folder is made after the lease. */
  readonly staging?: string
}

/** A sign of life to those who can't see the holder, given so often that some may be missed before it expires. */
const renewalMs = 2 * 60_000

export interface Lease extends LeaseRecord {
  /** From here on it stands for that process, a child's say: it keeps the lease if this one is killed. */
  handTo(pid: number): void
  /** Ends it; a second call does nothing. */
  release(): void
}

/**
 * Claims environments (and a staging folder) for this process. The order is the protocol: first take the
 * lease, then look whether the environment is there (or make the staging folder). Whoever removes hides the
 * thing first and reads the leases then. So either the taker sees that it is gone, or the remover sees the lease.
 * Until it is released it is renewed, for hosts and containers that can't see this process (`isAlive`).
 *
 * Any user may take one. Errors: VOLUME_READ_ONLY, DISK_FULL, VOLUME_BUSY (the volume is being removed), IO.
 */
export function takeLease(volume: Volume, request: LeaseRequest): Lease {
  const record = makeRecord(volume, request)
  publishLease(volume, record)
  let held = record
  const renewal = setInterval(() => renew(volume, held), renewalMs).unref()
  return {
    ...record,
    handTo(pid) {
      const startTime = processStart(pid)
      if (startTime === 'gone') return
      held = { ...held, pid, startTime }
      renew(volume, held)
    },
    release() {
      clearInterval(renewal)
      removeLease(volume, record)
    },
  }
}

function renew(volume: Volume, record: LeaseRecord): void {
  try {
    writeLease(volume, { ...record, expires: expiry() })
  } catch {
    // A disk that is full now may have room when the next renewal is due, and this host goes by the process.
  }
}

function makeRecord(volume: Volume, request: LeaseRequest): LeaseRecord {
  return {
    ...newClaim(volume, request.keys),
    id: randomUUID(),
    kind: request.kind,
    staging: request.staging ?? null,
    pid: process.pid,
    startTime: processStart(process.pid),
  }
}
