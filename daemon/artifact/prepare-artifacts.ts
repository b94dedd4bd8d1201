import type { ArtifactRow } from '../../src/api/artifacts.ts'
import type { PlacedTask, PrepareOptions } from '../prepare/prepare-placed.ts'
import { artifactRow } from './artifact-row.ts'
import { fetchAll } from './fetch-all.ts'

/** Brings what the task names and is not there; a dry run only looks. */
export function prepareArtifacts(
  { configuration, volume, input }: PlacedTask,
  { dryRun, signal, report }: PrepareOptions,
): Promise<ArtifactRow[]> {
  const { artifacts } = input.task
  if (dryRun) return Promise.resolve(artifacts.map(artifact => artifactRow(volume, artifact)))
  const { lockfiles } = configuration
  return fetchAll(artifacts, { volume, lockfiles, task: input.name, signal, report })
}
