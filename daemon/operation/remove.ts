import { removeEnvironment } from '../../cache/environment/remove-environment.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { RemovedEnvironment } from '../../src/api/operations.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { isKey, type Key } from '../../src/digest.ts'
import { recallKey } from '../prepare/task/known-key.ts'
import { readTaskRecord, type TaskRecord, tasksWithKey } from '../prepare/task/task-record.ts'
import { reap } from '../runtime/reap.ts'
import { notReady, taskContext } from './task-context.ts'

/** Removes an environment, never a task's folder; says which tasks had it. */
export async function remove(
  configuration: Configuration,
  volume: Volume,
  reference: string,
): Promise<RemovedEnvironment> {
  reap(volume)
  const key = isKey(reference) ? reference : keyOfTask(configuration, volume, reference)
  const { path, bytesFreed } = await removeEnvironment(volume, key)
  return { key, path, bytesFreed, tasks: namesOf(tasksWithKey(volume, key)) }
}

/** A task may have it on this host and in the default image. */
function namesOf(records: readonly TaskRecord[]): string[] {
  return [...new Set(records.map(({ task }) => task))]
}

/** The environment the task has: by its lock as it is now, or the last one where the lock has changed since. */
export function keyOfTask(configuration: Configuration, volume: Volume, task: string): Key {
  const { input, target } = taskContext(configuration, volume, task)
  const last = readTaskRecord(volume, configuration.lockfiles, task)
  const key = recallKey(volume, input, target) ?? last?.key
  if (key) return key
  throw notReady(task)
}
