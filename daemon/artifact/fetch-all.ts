import { join } from 'node:path'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { FetchedArtifactRow } from '../../src/api/artifacts.ts'
import type { Artifact } from '../../src/artifact/artifact.ts'
import type { ReportProgress } from '../prepare/progress.ts'
import { rowOf } from './artifact-row.ts'
import { fetchArtifact } from './fetch-artifact.ts'

export interface FetchAllContext {
  readonly volume: Volume
  readonly lockfiles: string
  readonly task: string
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/** Brings the artifacts of a task that are not there, one after another: each comes over many connections. */
export async function fetchAll(
  artifacts: readonly Artifact[],
  { volume, lockfiles, task, signal, report }: FetchAllContext,
): Promise<FetchedArtifactRow[]> {
  const context = { volume, folder: join(lockfiles, task), environment: process.env, signal, report }
  const rows: FetchedArtifactRow[] = []
  for (const artifact of artifacts) {
    const { reused, received, ...ready } = await fetchArtifact(artifact, context)
    rows.push({ ...rowOf(artifact, ready), reused, received })
  }
  return rows
}
