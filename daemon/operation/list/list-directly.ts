import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import type { TaskRow } from '../../../src/api/operations.ts'
import { recallKey } from '../../prepare/task/known-key.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import type { Listing } from './listing.ts'
import { rowOrProblem, taskRow } from './task-row.ts'

/** Reads every task. */
export function listDirectly(listing: Listing, names: readonly string[]): TaskRow[] {
  const { configuration, volume } = listing
  const look = (task: string) => {
    const input = readTask(configuration.lockfiles, task)
    const { target } = listing.target(input.task.python)
    const key = recallKey(volume, input, target)
    const ready = key && findEnvironment(volume, key)
    return taskRow(listing, task, key, ready?.summary ?? null)
  }
  return names.map(task => rowOrProblem(task, () => look(task)))
}
