import { randomUUID } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { publishFolder } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { describeHolder } from '../lease/holder/describe-holder.ts'
import { readLeases } from '../lease/live-leases.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { pythonFolder, stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { PYTHON_RECORD } from './python-record.ts'

/** The record's name while its interpreter is being removed. */
const REMOVING = 'python.removing'

/**
 * Removes an interpreter that no lease names; returns the disk blocks, in bytes, that became free. Its contents stay in
 * the store, as those of packages do. As for environments (remove-environment.ts): its record is hidden first and the
 * leases are read second, a user takes the lease first and looks for the record second. Errors: PYTHON_NOT_IMPORTED,
 * PYTHON_IN_USE, VOLUME_NOT_OWNER, IO.
 */
export async function removePython(volume: Volume, digest: string): Promise<number> {
  requireOwner(volume)
  const folder = pythonFolder(volume, digest)
  const [record, hidden] = [join(folder, PYTHON_RECORD), join(folder, REMOVING)]
  if (!existsSync(folder)) {
    throw new EnvdError('PYTHON_NOT_IMPORTED', `there is no interpreter ${digest}`, { details: { digest } })
  }
  requireUnleased(volume, digest)
  const wasReady = existsSync(record)
  faultPoint('python:before-hide')
  if (wasReady) onMachine(record, () => renameSync(record, hidden))
  try {
    requireUnleased(volume, digest)
  } catch (error) {
    if (wasReady) onMachine(hidden, () => renameSync(hidden, record))
    throw error
  }
  const aside = stagingFolder(volume, randomUUID())
  publishFolder(folder, aside)
  return removeFolder(aside)
}

function requireUnleased(volume: Volume, digest: string): void {
  const { live, damaged } = readLeases(volume)
  const lease = live.find(({ keys }) => keys.includes(digest))
  if (lease !== undefined) {
    const { pid, hostName, since, task, container } = lease
    throw new EnvdError('PYTHON_IN_USE', `The interpreter ${digest} is in use: ${describeHolder(lease)}`, {
      details: { digest, pid, host: hostName, since, task, container },
    })
  }
  const unsure = damaged.find(({ name, fresh }) => fresh && name.endsWith('.json'))
  if (unsure === undefined) return
  throw new EnvdError('PYTHON_IN_USE', `leases/${unsure.name}, written a moment ago, may be for ${digest}`, {
    details: { digest },
  })
}
