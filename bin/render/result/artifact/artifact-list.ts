import type { ArtifactRow, FetchedArtifactRow } from '../../../../src/api/artifacts.ts'
import { formatBytes, formatCount } from '../../amounts.ts'
import { columns } from '../../columns.ts'

/** A line for each: name, state, amount, and where a container sees it. */
export function artifactList(artifacts: readonly (ArtifactRow | FetchedArtifactRow)[]): string {
  return columns(
    artifacts.map(artifact => [artifact.name, stateOf(artifact), contents(artifact), artifact.destination]),
    { indent: '  ' },
  )
}

function stateOf(artifact: ArtifactRow | FetchedArtifactRow): string {
  if (artifact.path === null) return 'absent'
  if (!('reused' in artifact)) return 'ready'
  if (artifact.reused) return 'ready (reused)'
  return artifact.received === 0 ? 'ready' : `ready (${formatBytes(artifact.received)} downloaded)`
}

function contents({ files, bytes }: ArtifactRow): string {
  return files === null || bytes === null ? '' : `${formatCount(files, 'file')}, ${formatBytes(bytes)}`
}
