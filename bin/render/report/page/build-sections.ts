import type { BuildReport, ReportedBuild } from '../../../../src/api/report.ts'
import { phases } from '../../../../src/report/build/summarize-builds.ts'
import { formatBytes, formatCount, formatSeconds } from '../../amounts.ts'
import { plainStyle } from '../../style.ts'
import { savedText } from '../builds-text.ts'
import { percent } from '../storage-text.ts'
import { type Markup, markup } from './markup.ts'
import { bars, legend } from './pictures.ts'
import { table } from './table.ts'

/** Builds in the picture, the latest. */
const mostBuilds = 25

/** Phases that wait, that fetch, that compute, that write. */
const tones: Readonly<Record<(typeof phases)[number], number>> = {
  ...{ resolve: 2, wait: 2, download: 0, install: 3, compile: 1, hash: 4, link: 5, seal: 2 },
}

export function buildSections(report: BuildReport): Markup {
  const { since, builds, seconds } = report
  return markup`<section><h2>Builds</h2>
<p>${formatCount(builds.length, 'build')}${since === null ? '' : ` since ${since}`}, ${formatSeconds(seconds.total)} together.</p>
${buildsPicture(builds)}
${phasesTable(report)}${ratesTable(report)}</section>
<section><h2>Time saved</h2>
${savedText(report, plainStyle)
  .trimEnd()
  .split('\n')
  .map(line => markup`<p>${line.trim()}</p>`)}</section>\n`
}

function buildsPicture(builds: readonly ReportedBuild[]): Markup {
  const latest = builds.slice(-mostBuilds).reverse()
  const rows = latest.map(build => ({
    name: nameOf(build),
    value: formatSeconds(build.seconds.total),
    pieces: phases.map(phase => ({
      name: `${nameOf(build)}, ${phase}`,
      amount: build.seconds[phase],
      tone: tones[phase],
    })),
  }))
  return markup`${legend([
    { name: 'download', tone: 0 },
    { name: 'install', tone: 3 },
    { name: 'compile', tone: 1 },
    { name: 'hash', tone: 4 },
    { name: 'link', tone: 5 },
    { name: 'resolve, wait and seal', tone: 2 },
  ])}
${bars('Seconds of the latest builds by phase', rows, formatSeconds)}
${table(
  'Latest builds',
  [
    { name: 'task', cell: nameOf },
    { name: 'ended', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
    { name: 'total', cell: ({ seconds }) => formatSeconds(seconds.total), isNumber: true },
    ...phases.map(phase => ({
      name: phase,
      cell: ({ seconds }: ReportedBuild) => formatSeconds(seconds[phase]),
      isNumber: true as const,
    })),
    { name: 'added', cell: ({ bytes }) => formatBytes(bytes.added), isNumber: true },
  ],
  latest,
)}`
}

function nameOf({ task, key }: ReportedBuild): string {
  return task ?? `${key.slice(0, 12)}…`
}

function phasesTable({ phases }: BuildReport): Markup {
  return table(
    'All builds by phase',
    [
      { name: 'phase', cell: ({ phase }) => phase },
      { name: 'time', cell: ({ seconds }) => formatSeconds(seconds), isNumber: true },
      { name: 'share', cell: ({ share }) => percent(share), isNumber: true },
    ],
    phases,
  )
}

function ratesTable({ rates }: BuildReport): Markup {
  const levels = [
    { ...rates.environment, name: 'environments', of: "of what the volume's owner prepared" },
    { ...rates.package, name: 'packages', of: 'of those that builds needed' },
    { ...rates.file, name: 'files', of: 'of those of packages that were brought' },
  ]
  return table(
    'What was there already',
    [
      { name: 'level', cell: ({ name }) => name },
      { name: 'there', cell: ({ rate }) => (rate === null ? '-' : percent(rate)), isNumber: true },
      { name: 'count', cell: ({ known, asked }) => `${known} of ${asked}`, isNumber: true },
      { name: 'of', cell: ({ of }) => of },
    ],
    levels,
  )
}
