import { removeEnvironment, requireUnleased } from '../../../cache/environment/remove-environment.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { RemovedEnvironment } from '../../../src/api/operations.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { isKey } from '../../../src/digest.ts'
import { type TaskRecord, tasksWithKey } from '../../prepare/task/task-record.ts'
import { reap } from '../../runtime/reap.ts'
import { keysOfTask } from './keys-of-task.ts'

/**
 * Removes an environment, or all that a task has, never a task's folder; says which tasks had them. Where one of them is
 * used, the others stay, too.
 */
export async function remove(
  configuration: Configuration,
  volume: Volume,
  reference: string,
): Promise<RemovedEnvironment[]> {
  reap(volume)
  const keys = isKey(reference) ? [reference] : keysOfTask(configuration, volume, reference)
  for (const key of keys) requireUnleased(volume, key)
  const removed: RemovedEnvironment[] = []
  for (const key of keys) {
    const { path, bytesFreed } = await removeEnvironment(volume, key)
    removed.push({ key, path, bytesFreed, tasks: namesOf(tasksWithKey(volume, key)) })
  }
  return removed
}

/** A task may have it on this host and in the default image. */
function namesOf(records: readonly TaskRecord[]): string[] {
  return [...new Set(records.map(({ task }) => task))]
}
