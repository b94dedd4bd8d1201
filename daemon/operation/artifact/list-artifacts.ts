import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { TaskArtifacts } from '../../../src/api/artifacts.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { asEnvdError } from '../../../src/error.ts'
import { artifactRow } from '../../artifact/artifact-row.ts'
import { taskNames } from '../../prepare/task/task-names.ts'
import { readTaskFile } from './task-file.ts'

/**
 * The artifacts of tasks, without network; no name: those of every task that has some. `volume` is null where there is
 * none. One task that can't be read doesn't hide the others; a named one is an error.
 */
export function listArtifacts(
  { lockfiles }: Configuration,
  volume: Volume | null,
  names: readonly string[],
): TaskArtifacts[] {
  const look = (task: string): TaskArtifacts => ({
    task,
    artifacts: readTaskFile(lockfiles, task)
      .task()
      .artifacts.map(artifact => artifactRow(volume, artifact)),
  })
  if (names.length > 0) return names.map(look)
  return taskNames(lockfiles)
    .map(task => {
      try {
        return look(task)
      } catch (error) {
        return { task, artifacts: [], problem: asEnvdError(error).message }
      }
    })
    .filter(({ artifacts, problem }: TaskArtifacts) => artifacts.length > 0 || problem !== undefined)
}
