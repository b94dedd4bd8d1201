import type { BuildReport, LevelRate } from '../../../src/api/report.ts'
import { formatBytes, formatCount, formatSeconds } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'
import { bar } from './bar.ts'
import { percent } from './storage-text.ts'

/** Builds shown, the latest; `--json` and `--csv` have all. */
const mostBuilds = 10

export function buildsText(report: BuildReport, style: Style): string {
  const { since, builds, seconds } = report
  const when = since === null ? '' : ` since ${since}`
  return [
    `${style.bold(`${formatCount(builds.length, 'build')}${when}`)}, ${formatSeconds(seconds.total)} together\n`,
    phasesText(report, style),
    `\n${style.bold('what was there already')}\n`,
    ratesText(report),
    `\n${style.bold('time saved')}\n`,
    savedText(report, style),
    ...(builds.length === 0 ? [] : [`\n${style.bold('latest builds')}\n`, latestText(report, style)]),
  ].join('')
}

function phasesText({ phases }: BuildReport, style: Style): string {
  const most = Math.max(...phases.map(({ seconds }) => seconds))
  const rows = phases.map(({ phase, seconds, share }) => [
    ...[phase, formatSeconds(seconds).padStart(10), percent(share), bar(seconds, most)],
  ])
  return columns(rows, { indent: '  ', paint: (cell, column) => (column === 3 ? style.cyan(cell) : cell) })
}

function ratesText({ rates }: BuildReport): string {
  return columns(
    [
      ['environments', ...rateCells(rates.environment), "of what the volume's owner prepared"],
      ['packages', ...rateCells(rates.package), 'of those that builds needed'],
      ['files', ...rateCells(rates.file), 'of those of packages that were brought'],
    ],
    { indent: '  ' },
  )
}

function rateCells({ asked, known, rate }: LevelRate): string[] {
  return [rate === null ? '-' : percent(rate), `${known} of ${asked}`]
}

export function savedText({ saved, endToEnd }: BuildReport, style: Style): string {
  const { seconds, spent, reduction, unknownHits } = saved
  return [
    `  ${formatSeconds(seconds)}: each hit saved what building its environment took last, against building for every preparation\n`,
    `  ${formatSeconds(spent)} went into builds; so preparing takes ${percent(reduction).trim()} less time\n`,
    ...(unknownHits === 0
      ? []
      : [
          `  ${formatCount(unknownHits, 'hit')} of environments whose build isn't known, counted as nothing\n`,
        ]),
    endToEnd === null
      ? style.dim(
          '  What that is end to end depends on how much of your time preparing takes: state it with --share.\n',
        )
      : `  end to end ${endToEnd.factor.toFixed(2)} times as fast, where preparing is ${percent(endToEnd.share).trim()} of the time: 1 / ((1 − ${endToEnd.share}) + ${endToEnd.share} × (1 − ${reduction.toFixed(3)}))\n`,
  ].join('')
}

function latestText({ builds }: BuildReport, style: Style): string {
  const header = ['ENDED', 'TASK', 'TOTAL', 'PACKAGES', 'ADDED', 'SLOWEST PHASES']
  const rows = builds
    .slice(-mostBuilds)
    .reverse()
    .map(({ at, key, task, seconds, packages, bytes }) => [
      at.slice(0, 16).replace('T', ' '),
      task ?? `${key.slice(0, 12)}…`,
      formatSeconds(seconds.total),
      packages === null ? '-' : `${packages.brought} new, ${packages.known} known`,
      formatBytes(bytes.added),
      slowest(seconds),
    ])
  const [head = '', ...body] = columns([header, ...rows], { indent: '  ' }).split('\n')
  return [style.dim(head), ...body].join('\n')
}

function slowest(seconds: BuildReport['seconds']): string {
  return Object.entries(seconds)
    .filter(([phase, spent]) => phase !== 'total' && spent > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([phase, spent]) => `${phase} ${formatSeconds(spent)}`)
    .join(', ')
}
