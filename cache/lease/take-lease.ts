import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { leaseFile, leasesFolder } from '../volume/layout.ts'
import { onMachine } from '../volume/machine-error.ts'
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
  /** Until other hosts may take the lease for dead; they never do where this is left out. */
  readonly seconds?: number
}

export interface Lease extends LeaseRecord {
  /** Ends it; a second call does nothing. */
  release(): void
}

/**
 * Claims environments (and a staging folder) for this process. The order is the protocol: first take the
 * lease, then look whether the environment is there (or make the staging folder). Whoever removes hides the
 * thing first and reads the leases then. So either the taker sees that it is gone, or the remover sees the lease.
 *
 * Any user may take one. Errors: VOLUME_READ_ONLY, DISK_FULL, VOLUME_BUSY (the volume is being removed), IO.
 */
export function takeLease(volume: Volume, request: LeaseRequest): Lease {
  const record = makeRecord(volume, request)
  const path = leaseFile(volume, record.id)
  const temporary = join(leasesFolder(volume), `.${record.id}`)
  onMachine(path, () => {
    try {
      writeFileSync(temporary, JSON.stringify(record), { flag: 'wx', mode: 0o644 })
      chmodSync(temporary, 0o644) // whatever the umask: the volume's owner must be able to read it
      faultPoint('lease:before-publish')
      renameSync(temporary, path)
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
  })
  faultPoint('lease:after-publish')
  const release = () => onMachine(path, () => rmSync(path, { force: true }))
  if (readVersion(volume)?.removing !== false) {
    release()
    throw new EnvdError('VOLUME_BUSY', `The volume ${volume.root} is being removed`, {
      details: { path: volume.root },
    })
  }
  return { ...record, release }
}

function makeRecord(volume: Volume, request: LeaseRequest): LeaseRecord {
  const host = thisHost()
  const now = Date.now()
  const { seconds } = request
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
    since: new Date(now).toISOString(),
    expires: seconds === undefined ? null : new Date(now + seconds * 1000).toISOString(),
  }
}
