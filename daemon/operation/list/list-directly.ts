import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import type { TaskRow } from '../../../src/api/operations.ts'
import { recallKey, taskFact } from '../../prepare/task/known-key.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import type { Listing } from './listing.ts'
import { rowOrProblem, taskRow } from './task-row.ts'

/** Reads every task. */
export function listDirectly(listing: Listing, names: readonly string[]): TaskRow[] {
  const { configuration, volume } = listing
  const look = (task: string) => {
    const input = readTask(configuration.lockfiles, task)
    const { python, baseImage } = input.task
    const { target, circumstances } = listing.target(python, baseImage)
    const key = recallKey(volume, input, target)
    const ready = key && findEnvironment(volume, key)
    const now = { key, files: taskFact(input), circumstances, python, baseImage }
    return taskRow(listing, task, now, ready?.summary ?? null)
  }
  return names.map(task => rowOrProblem(task, () => look(task)))
}
