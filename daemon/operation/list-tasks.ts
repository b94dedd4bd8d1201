import { namesIn } from '../../cache/disk/names-in.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { TaskRow } from '../../src/api/operations.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { taskNames } from '../prepare/task/task-names.ts'
import { listDirectly } from './list/list-directly.ts'
import { startListing } from './list/listing.ts'

/** From so many tasks on, what was seen of them the last time is worth loading SQLite. */
const many = 50

/** All tasks of the lockfiles folder, without uv, network or a look into a lock. */
export async function listTasks(configuration: Configuration, volume: Volume): Promise<TaskRow[]> {
  const { lockfiles } = configuration
  const listing = startListing(configuration, volume)
  const names = namesIn(lockfiles).filter(name => !name.startsWith('.'))
  if (names.length < many) return listDirectly(listing, taskNames(lockfiles))
  const { listWithMemory } = await import('./list/list-with-memory.ts')
  return listWithMemory(listing, names)
}
