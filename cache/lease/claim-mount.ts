import { randomUUID } from 'node:crypto'
import type { Volume } from '../volume/open-volume.ts'
import type { LeaseRecord } from './lease-record.ts'
import { newClaim, publishLease } from './write-lease.ts'

/**
 * Claims what a task's containers will mount, for the ten minutes in which they start and take leases of their own. As
 * with every lease, it is taken first, and what it is for is looked for second. Errors: as those of `takeLease`.
 */
export function claimMount(volume: Volume, task: string, keys: readonly string[]): LeaseRecord {
  const record: LeaseRecord = {
    ...newClaim(volume, keys),
    id: `mount@${task}@${randomUUID()}`,
    kind: 'mount',
    task,
    staging: null,
    pid: 0,
    startTime: '',
  }
  publishLease(volume, record)
  return record
}
