import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import type { TaskRow, TaskState } from '../../../src/api/operations.ts'
import type { Key } from '../../../src/digest.ts'
import { asEnvdError } from '../../../src/error.ts'
import { readTaskRecord, type TaskRecord } from '../../prepare/task/task-record.ts'
import type { Listing } from './listing.ts'

/** A task as it is now: its key, where it is known, and digests of what that follows from (TaskRecord). */
export interface TaskNow {
  readonly key: Key | null
  readonly files: Key
  readonly circumstances: Key
}

/** The row of a task whose environment is `ready` (or null). */
export function taskRow(
  listing: Listing,
  task: string,
  now: TaskNow,
  ready: { readonly packages: number; readonly bytes: number } | null,
): TaskRow {
  const { key } = now
  if (ready) return { task, state: 'ready', key, packages: ready.packages, bytes: ready.bytes }
  if (key && listing.isBuilding(key)) return { task, state: 'building', key, packages: null, bytes: null }
  const { configuration, volume } = listing
  const last = readTaskRecord(volume, configuration.lockfiles, task)
  const changed = last !== null && last.key !== key && findEnvironment(volume, last.key) !== null
  return { task, state: changed ? whatChanged(last, now) : 'absent', key, packages: null, bytes: null }
}

/** An older record doesn't tell; a lock changes more often than the rest. */
function whatChanged(last: TaskRecord, now: TaskNow): TaskState {
  return last.files === now.files ? 'target changed' : 'lock changed'
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
