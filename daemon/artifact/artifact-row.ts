import { findArtifact, type ReadyArtifact } from '../../cache/artifact/find-artifact.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { ArtifactRow } from '../../src/api/artifacts.ts'
import { type Artifact, describeArtifact } from '../../src/artifact/artifact.ts'
import { artifactKey } from '../../src/artifact/artifact-key.ts'
import { artifactDestination } from '../../src/artifact/place.ts'

/** An artifact as it is on the volume now; null: there is no volume. */
export function artifactRow(volume: Volume | null, artifact: Artifact): ArtifactRow {
  return rowOf(artifact, volume && findArtifact(volume, artifact.kind, artifactKey(artifact)))
}

export function rowOf(artifact: Artifact, ready: ReadyArtifact | null): ArtifactRow {
  return {
    name: describeArtifact(artifact),
    kind: artifact.kind,
    key: artifactKey(artifact),
    pin: pinOf(artifact),
    destination: artifactDestination(artifact),
    path: ready?.path ?? null,
    files: ready?.record.files ?? null,
    bytes: ready?.record.bytes ?? null,
  }
}

function pinOf(artifact: Artifact): string {
  switch (artifact.kind) {
    case 'hub':
      return artifact.revision
    case 'url':
      return artifact.sha256
    case 'directory':
      return artifact.tree
  }
}
