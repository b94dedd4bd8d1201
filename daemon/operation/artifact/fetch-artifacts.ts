import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { FetchedTask } from '../../../src/api/artifacts.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { fetchAll } from '../../artifact/fetch-all.ts'
import type { WorkOptions } from '../../door.ts'
import { signalOf } from '../../signal-of.ts'
import { readTaskFile } from './task-file.ts'

/** Brings the artifacts of tasks onto the volume, those that are missing. The first failure ends it. */
export async function fetchArtifacts(
  { lockfiles }: Configuration,
  volume: Volume,
  tasks: readonly string[],
  options: WorkOptions,
): Promise<FetchedTask[]> {
  const signal = signalOf(options)
  const read = tasks.map(task => ({ task, named: readTaskFile(lockfiles, task).task().artifacts }))
  const fetched: FetchedTask[] = []
  for (const { task, named } of read) {
    const artifacts = await fetchAll(named, {
      ...{ volume, lockfiles, task, signal },
      report: progress => options.onEvent?.({ task, ...progress }),
    })
    fetched.push({ task, artifacts })
  }
  return fetched
}
