import type { ArtifactRow } from '../api/artifacts.ts'
import type { MountedArtifact } from '../mount/plan-mounts.ts'
import { artifactVariables } from './place.ts'

/** What a container gets of the artifacts that are on the volume. */
export function mountedArtifacts(rows: readonly ArtifactRow[]): MountedArtifact[] {
  return rows.flatMap(row => {
    const { key, path, destination } = row
    return path === null ? [] : [{ key, source: path, destination, variables: artifactVariables(row) }]
  })
}
