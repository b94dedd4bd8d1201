import type { Phase, PhaseSeconds } from '../../api/prepare.ts'
import type { BuildReport, LevelRate } from '../../api/report.ts'
import type { BuildRecord, Found, Hits } from './build-record.ts'
import { endToEnd } from './end-to-end.ts'

export const phases = [
  'resolve',
  'wait',
  'download',
  'install',
  'compile',
  'hash',
  'link',
  'seal',
] as const satisfies readonly Phase[]

export interface BuildQuestion {
  /** ISO 8601; null: everything that is known. */
  readonly since: string | null
  /** Of all time, what preparing takes, from 0 to 1; null: not stated. */
  readonly share: number | null
}

/** `builds`: the oldest first. */
export function summarizeBuilds(
  builds: readonly BuildRecord[],
  hits: Hits,
  { since, share }: BuildQuestion,
): BuildReport {
  const seconds = sumOfSeconds(builds)
  const saved = secondsSaved(builds, hits)
  const environments = { known: saved.hits, brought: builds.length }
  const spent = seconds.total - seconds.wait
  const reduction = saved.seconds + spent === 0 ? 0 : saved.seconds / (saved.seconds + spent)
  return {
    since,
    builds: builds.map(({ schemaVersion: _, found, ...build }) => ({
      ...build,
      packages: found?.packages ?? null,
      files: found?.files ?? null,
    })),
    seconds,
    phases: phases.map(phase => ({
      phase,
      seconds: seconds[phase],
      share: ratio(seconds[phase], seconds.total),
    })),
    rates: {
      environment: rate(environments),
      package: rate(sumOfFound(builds, 'packages')),
      file: rate(sumOfFound(builds, 'files')),
    },
    saved: { seconds: saved.seconds, spent, reduction, unknownHits: saved.unknown },
    endToEnd: share === null ? null : { share, reduction, factor: endToEnd(share, reduction) },
  }
}

/** Each hit saved what building that environment took last, without waiting for others. */
function secondsSaved(builds: readonly BuildRecord[], hits: Hits) {
  const last = new Map(builds.map(({ key, seconds }) => [key.slice(0, 16), seconds.total - seconds.wait]))
  const saved = { seconds: 0, hits: 0, unknown: 0 }
  for (const [key, count] of hits) {
    const seconds = last.get(key)
    saved.hits += count
    if (seconds === undefined) saved.unknown += count
    else saved.seconds += count * seconds
  }
  return saved
}

function sumOfSeconds(builds: readonly BuildRecord[]): PhaseSeconds {
  const sum = (phase: Phase) => builds.reduce((total, { seconds }) => total + seconds[phase], 0)
  return {
    ...{ total: sum('total'), wait: sum('wait'), resolve: sum('resolve'), download: sum('download') },
    ...{ install: sum('install'), compile: sum('compile'), hash: sum('hash'), link: sum('link') },
    seal: sum('seal'),
  }
}

function sumOfFound(builds: readonly BuildRecord[], what: 'packages' | 'files'): Found {
  return builds.reduce(
    ({ known, brought }, { found }) => ({
      known: known + (found?.[what].known ?? 0),
      brought: brought + (found?.[what].brought ?? 0),
    }),
    { known: 0, brought: 0 },
  )
}

function rate({ known, brought }: Found): LevelRate {
  return { asked: known + brought, known, rate: known + brought === 0 ? null : known / (known + brought) }
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
