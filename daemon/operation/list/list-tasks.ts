import { namesIn } from '../../../cache/disk/names-in.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { TaskRow } from '../../../src/api/operations.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import { taskNames } from '../../prepare/task/task-names.ts'
import { listDirectly } from './list-directly.ts'
import { type Listing, startListing } from './listing.ts'
import { rowOrProblem } from './task-row.ts'

/** From so many tasks on, what was seen of them the last time is worth loading SQLite. */
const many = 50

/**
 * All tasks of the lockfiles folder, without uv, network or a look into a lock. `volume` is null where there is
 * none.
 */
export async function listTasks(
  configuration: Configuration,
  volume: Volume | null,
  note: Listing['note'],
): Promise<TaskRow[]> {
  const { lockfiles } = configuration
  if (volume === null) return taskNames(lockfiles).map(task => unpreparedRow(lockfiles, task))
  const listing = startListing(configuration, volume, note)
  const names = namesIn(lockfiles).filter(name => !name.startsWith('.'))
  if (names.length < many) return listDirectly(listing, taskNames(lockfiles))
  const { listWithMemory } = await import('./list-with-memory.ts')
  return listWithMemory(listing, names)
}

function unpreparedRow(lockfiles: string, task: string): TaskRow {
  return rowOrProblem(task, () => {
    readTask(lockfiles, task)
    return { task, state: 'absent', key: null, packages: null, bytes: null }
  })
}
