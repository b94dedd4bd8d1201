import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { onMachine } from '../disk/machine-error.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { leaseFile, leasesFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { readVersion } from '../volume/version-file.ts'
import { nextFence } from './fence.ts'
import type { LeaseRecord } from './lease-record.ts'
import { processStart } from './process-start.ts'
import { thisHost } from './this-host.ts'

export interface LeaseRequest {
  readonly kind: LeaseRecord['kind']
  readonly keys: readonly string[]
  /** Staging folder of a build; the folder is made after the lease. */
  readonly staging?: string
}

/** Who can't see the holder waits so long for a sign of life. It is given so often that some may be missed. */
const expiryMs = 10 * 60_000
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
  const path = leaseFile(volume, record.id)
  onMachine(path, () => writeLease(volume, record, () => faultPoint('lease:before-publish')))
  faultPoint('lease:after-publish')
  const remove = () => onMachine(path, () => rmSync(path, { force: true }))
  if (readVersion(volume)?.removing !== false) {
    remove()
    throw new EnvdError('VOLUME_BUSY', `The volume ${volume.root} is being removed`, {
      details: { path: volume.root },
    })
  }
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
      remove()
    },
  }
}

/** Whole, or as it was before. Throws system errors. */
function writeLease(volume: Volume, record: LeaseRecord, beforePublication: () => void): void {
  // A name that no other user can have put something under.
  const temporary = join(leasesFolder(volume), `.${randomUUID()}`)
  try {
    writeFileSync(temporary, JSON.stringify(record), { flag: 'wx', mode: 0o644 })
    chmodSync(temporary, 0o644) // whatever the umask: the volume's owner must be able to read it
    beforePublication()
    renameSync(temporary, leaseFile(volume, record.id))
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function renew(volume: Volume, record: LeaseRecord): void {
  try {
    writeLease(volume, { ...record, expires: expiry() }, () => {})
  } catch {
    // A disk that is full now may have room when the next renewal is due, and this host goes by the process.
  }
}

function expiry(): string {
  return new Date(Date.now() + expiryMs).toISOString()
}

function makeRecord(volume: Volume, request: LeaseRequest): LeaseRecord {
  const host = thisHost()
  return {
    schemaVersion: 1,
    id: randomUUID(),
    kind: request.kind,
    keys: [...request.keys],
    staging: request.staging ?? null,
    host: host.id,
    hostName: host.name,
    bootId: host.bootId,
    pidNamespace: host.pidNamespace,
    pid: process.pid,
    startTime: processStart(process.pid),
    uid: process.geteuid!(),
    fence: nextFence(volume),
    since: new Date().toISOString(),
    expires: expiry(),
  }
}
