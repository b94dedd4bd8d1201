import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import type { InDefaultImage, TaskRow, TaskState } from '../../../src/api/operations.ts'
import type { Key } from '../../../src/digest.ts'
import { asEnvdError, EnvdError } from '../../../src/error.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import type { Task } from '../../../src/task/task.ts'
import { readTaskRecord, type TaskRecord } from '../../prepare/task/task-record.ts'
import type { Listing } from './listing.ts'

/** A task as it is now: its key, where it is known, and digests of what that follows from (TaskRecord). */
export interface TaskNow extends Pick<Task, 'python' | 'baseImage'> {
  readonly key: Key | null
  readonly files: Key
  readonly circumstances: Key
}

/** The row of a task whose environment is `ready` (or null). */
export function taskRow(listing: Listing, task: string, now: TaskNow, ready: Ready | null): TaskRow {
  const inDefaultImage = lookInDefaultImage(listing, task, now)
  return { ...rowOfPlace(listing, task, now, ready), ...(inDefaultImage !== null && { inDefaultImage }) }
}

interface Ready {
  readonly packages: number
  readonly bytes: number
}

function rowOfPlace(listing: Listing, task: string, now: TaskNow, ready: Ready | null): TaskRow {
  const { key } = now
  if (ready) return { task, state: 'ready', key, packages: ready.packages, bytes: ready.bytes }
  if (key && listing.isBuilding(key)) return { task, state: 'building', key, packages: null, bytes: null }
  const { configuration, volume } = listing
  const last = readTaskRecord(volume, configuration.lockfiles, task)
  const changed = last !== null && last.key !== key && findEnvironment(volume, last.key) !== null
  return { task, state: changed ? whatChanged(last, now) : 'absent', key, packages: null, bytes: null }
}

/** Null: there is none, or it is the one the task has on this host. */
function lookInDefaultImage(listing: Listing, task: string, now: TaskNow): InDefaultImage | null {
  if (now.baseImage !== null || !listing.wasInDefaultImage(task)) return null
  const { configuration, volume } = listing
  const last = readTaskRecord(volume, configuration.lockfiles, task, '@default')
  const found = last && last.key !== now.key && findEnvironment(volume, last.key)
  if (!found) return null
  const { packages, bytes } = found.summary
  const state = stateInDefaultImage(listing, last, now)
  return { image: DEFAULT_IMAGE, state, key: last.key, packages, bytes }
}

function stateInDefaultImage(listing: Listing, last: TaskRecord, now: TaskNow): InDefaultImage['state'] {
  if (last.files !== now.files) return 'lock changed'
  try {
    const { circumstances } = listing.target(now.python, DEFAULT_IMAGE)
    return last.circumstances === circumstances ? 'ready' : 'target changed'
  } catch (error) {
    if (error instanceof EnvdError) return 'target changed'
    throw error
  }
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
