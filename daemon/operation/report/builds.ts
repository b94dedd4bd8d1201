import { readHistory } from '../../../cache/history/read-history.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { BuildReport, BuildRequest } from '../../../src/api/report.ts'
import { summarizeBuilds } from '../../../src/report/build/summarize-builds.ts'

/** What builds took, what was there already, and the time that saved. */
export function reportBuilds(
  volume: Volume,
  { sinceMs, share }: BuildRequest,
  note: (line: string) => void,
): BuildReport {
  const { builds, hits, damaged } = readHistory(volume, sinceMs ?? 0)
  if (damaged.length > 0) note(`receipts that are damaged say nothing of their builds: ${damaged.join(', ')}`)
  const since = sinceMs === null ? null : new Date(sinceMs).toISOString()
  return summarizeBuilds(builds, hits, { since, share })
}
