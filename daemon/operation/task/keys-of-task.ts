import { existsSync } from 'node:fs'
import { environmentFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { placeInImage } from '../../prepare/image/place-in-image.ts'
import { placeTask } from '../../prepare/image/place-task.ts'
import type { Placement } from '../../prepare/placement.ts'
import { recallKey } from '../../prepare/task/known-key.ts'
import { readTask, type TaskInput } from '../../prepare/task/read-task.ts'
import { readTaskRecord, type TaskRecord } from '../../prepare/task/task-record.ts'
import { notReady } from './task-context.ts'

/**
 * The environments on the volume that a task has, one or two: where it belongs and, where it names no image, in the
 * default one. Each by its lock as it is now, or the last one where the lock has changed since. Errors:
 * ENVIRONMENT_NOT_READY, and what keeps the task from having any.
 */
export function keysOfTask(configuration: Configuration, volume: Volume, name: string): Key[] {
  const input = readTask(configuration.lockfiles, name)
  const { task } = input
  const last = (suffix: '' | '@default') => readTaskRecord(volume, configuration.lockfiles, name, suffix)
  const places = [
    keyAt(volume, input, () => placeTask(configuration, volume, task), last('')),
    task.baseImage === null
      ? keyAt(volume, input, () => placeInImage(configuration, volume, task, DEFAULT_IMAGE), last('@default'))
      : null,
  ]
  const keys = [...new Set(places.filter(key => key !== null))]
  if (keys.length > 0) return keys
  placeTask(configuration, volume, task)
  throw notReady(name)
}

function keyAt(
  volume: Volume,
  input: TaskInput,
  place: () => Placement,
  last: TaskRecord | null,
): Key | null {
  const isThere = (key: Key | null | undefined) => key && existsSync(environmentFolder(volume, key))
  const now = recallUnlessNowhere(volume, input, place)
  if (now && isThere(now)) return now
  return last && isThere(last.key) ? last.key : null
}

/** Null also where it can't be prepared any more: it may have been. */
export function recallUnlessNowhere(volume: Volume, input: TaskInput, place: () => Placement): Key | null {
  try {
    return recallKey(volume, input, place().target)
  } catch (error) {
    if (error instanceof EnvdError) return null
    throw error
  }
}
