import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import type { TaskRow } from '../../../src/api/operations.ts'
import type { Key } from '../../../src/digest.ts'
import { asEnvdError } from '../../../src/error.ts'
import { readTaskRecord } from '../../prepare/task/task-record.ts'
import type { Listing } from './listing.ts'

/** The row of a task whose key is known (or null), and whose environment is `ready` (or null). */
export function taskRow(
  listing: Listing,
  task: string,
  key: Key | null,
  ready: { readonly packages: number; readonly bytes: number } | null,
): TaskRow {
  if (ready) return { task, state: 'ready', key, packages: ready.packages, bytes: ready.bytes }
  if (key && listing.isBuilding(key)) return { task, state: 'building', key, packages: null, bytes: null }
  const { configuration, volume } = listing
  const last = readTaskRecord(volume, configuration.lockfiles, task)
  const changed = last !== null && last.key !== key && findEnvironment(volume, last.key) !== null
  return { task, state: changed ? 'lock changed' : 'absent', key, packages: null, bytes: null }
}

/** `look`'s row, or that of a task that can't be read. */
export function rowOrProblem(task: string, look: () => TaskRow): TaskRow {
  try {
    return look()
  } catch (error) {
    const { message } = asEnvdError(error)
    return { task, state: 'invalid', key: null, packages: null, bytes: null, problem: message }
  }
}
