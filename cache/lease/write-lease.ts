import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { hasErrno, machineError, onMachine } from '../disk/machine-error.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { leaseFile, leasesFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { readVersion } from '../volume/version-file.ts'
import { nextFence } from './fence.ts'
import { thisHost } from './holder/this-host.ts'
import type { LeaseRecord } from './lease-record.ts'

/** Who can't see the holder waits so long for a sign of life, and so long a mount waits for its containers. */
const expiryMs = 10 * 60_000

export function expiry(): string {
  return new Date(Date.now() + expiryMs).toISOString()
}

/** What every lease taken here and now has. */
export function newClaim(volume: Volume, keys: readonly string[]) {
  const host = thisHost()
  return {
    schemaVersion: 1 as const,
    keys: [...keys],
    host: host.id,
    hostName: host.name,
    bootId: host.bootId,
    pidNamespace: host.pidNamespace,
    uid: process.geteuid!(),
    fence: nextFence(volume),
    since: new Date().toISOString(),
    expires: expiry(),
  }
}

/** Writes a new lease. Errors: VOLUME_READ_ONLY, DISK_FULL, VOLUME_BUSY (the volume is being removed), IO. */
export function publishLease(volume: Volume, record: LeaseRecord): void {
  const path = leaseFile(volume, record.id)
  onMachine(path, () => writeLease(volume, record, () => faultPoint('lease:before-publish')))
  faultPoint('lease:after-publish')
  if (readVersion(volume)?.removing !== false) {
    removeLease(volume, record)
    throw new EnvdError('VOLUME_BUSY', `The volume ${volume.root} is being removed`, {
      details: { path: volume.root },
    })
  }
}

export function removeLease(volume: Volume, { id }: LeaseRecord): void {
  const path = leaseFile(volume, id)
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw machineError(error, path)
  }
}

/** Whole, or as it was before. Throws system errors. */
export function writeLease(volume: Volume, record: LeaseRecord, beforePublication = () => {}): void {
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
