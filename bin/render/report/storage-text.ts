import type { Comparison, PackageStorage, StorageReport, TaskStorage } from '../../../src/api/report.ts'
import { formatBytes, formatCount } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'
import { bar } from './bar.ts'
import { hereAssumption, partNames, wayAssumptions, wayNames } from './names.ts'

/** Rows of a table; `--json` and `--csv` have all. */
const mostRows = 20

export function storageText(report: StorageReport, style: Style): string {
  const { volume, total, index, unread, tasks, packages, comparison } = report
  return [
    `${style.bold(`${formatBytes(total.bytes)} on disk`)} in ${volume}\n`,
    partsText(report, style),
    style.dim(`  Beside it on this host: the index, ${formatBytes(index.bytes)}.\n`),
    ...(unread.length === 0
      ? []
      : [style.yellow(`  Not counted, since you may not read it: ${unread.join(', ')}\n`)]),
    `\n${style.bold('the same environments, kept otherwise')}\n`,
    comparisonText(comparison, style),
    ...(tasks.length === 0 ? [] : [`\n${style.bold('tasks')}\n`, tasksText(tasks, style)]),
    ...(packages.length === 0 ? [] : [`\n${style.bold('packages')}\n`, packagesText(packages, style)]),
  ].join('')
}

function partsText({ parts, total }: StorageReport, style: Style): string {
  const present = parts.filter(({ bytes }) => bytes > 0).toSorted((a, b) => b.bytes - a.bytes)
  const most = present[0]?.bytes ?? 0
  const rows = present.map(({ part, bytes }) => [
    partNames[part],
    formatBytes(bytes).padStart(9),
    percent(bytes / total.bytes),
    bar(bytes, most),
  ])
  return columns(rows, { indent: '  ', paint: (cell, column) => (column === 3 ? style.cyan(cell) : cell) })
}

function comparisonText({ here, others }: Comparison, style: Style): string {
  const most = Math.max(here, ...others.map(({ bytes }) => bytes))
  const rows = [
    ['here', formatBytes(here).padStart(9), '', bar(here, most)],
    ...others.map(({ way, bytes, factor }) => [
      wayNames[way],
      formatBytes(bytes).padStart(9),
      factor === null ? '' : `${factor.toFixed(1)} ×`.padStart(7),
      bar(bytes, most),
    ]),
  ]
  const explanations = [
    `here: ${hereAssumption}`,
    ...others.map(({ way }) => `${wayNames[way]}: ${wayAssumptions[way]}`),
  ]
  const bars = columns(rows, {
    indent: '  ',
    paint: (cell, column) => (column === 3 ? style.cyan(cell) : cell),
  })
  return bars + explanations.map(line => style.dim(`  ${line}\n`)).join('')
}

function tasksText(tasks: readonly TaskStorage[], style: Style): string {
  const shown = tasks.toSorted((a, b) => b.bytes.marginal - a.bytes.marginal).slice(0, mostRows)
  const header = ['TASK', 'FILES', 'ALONE', 'UNIQUE', 'RM FREES', 'MARGINAL', 'SHARES WITH']
  const rows = shown.map(({ task, key, bytes, sameAs, sharedWith }) => [
    task ?? `${key.slice(0, 12)}… (no task)`,
    ...[bytes.apparent, bytes.alone, bytes.unique, bytes.freed, bytes.marginal].map(formatBytes),
    partners(sameAs, sharedWith),
  ])
  return (
    headed(header, rows, style) +
    more(tasks.length - shown.length, 'task', style) +
    style.dim(
      '  FILES: sum of file sizes. ALONE: its disk blocks without any sharing. UNIQUE: contents no other environment has.\n' +
        '  RM FREES: at once, by `envd rm`. MARGINAL: that, and the contents that nothing needs any more then; they stay\n' +
        "  until they are collected, in uv's cache, too. 0 where another task has the same environment.\n",
    )
  )
}

function partners(sameAs: readonly string[], sharedWith: TaskStorage['sharedWith']): string {
  const same = sameAs.length === 0 ? [] : [`same as ${listed(sameAs)}`]
  const most = (sharedWith ?? [])
    .slice(0, 3)
    .map(({ task, bytes }) => `${shortened(task)} ${formatBytes(bytes)}`)
  return [...same, ...most].join(', ')
}

function packagesText(packages: readonly PackageStorage[], style: Style): string {
  const shown = packages.toSorted((a, b) => b.bytes.disk - a.bytes.disk).slice(0, mostRows)
  const header = ['PACKAGE', 'VERSION', 'FILES', 'DISK', 'UNIQUE', 'ENVIRONMENTS', 'TASKS']
  const rows = shown.map(({ name, version, environments, tasks, bytes }) => [
    ...[name, version, formatBytes(bytes.apparent), formatBytes(bytes.disk), formatBytes(bytes.unique)],
    String(environments),
    listed(tasks),
  ])
  return headed(header, rows, style) + more(packages.length - shown.length, 'package', style)
}

function headed(header: readonly string[], rows: readonly (readonly string[])[], style: Style): string {
  const [head = '', ...body] = columns([header, ...rows], { indent: '  ' }).split('\n')
  return [style.dim(head), ...body].join('\n')
}

function more(count: number, noun: string, style: Style): string {
  return count <= 0 ? '' : style.dim(`  and ${formatCount(count, noun)} more: --json and --csv have all\n`)
}

function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} …` : names.join(', ')
}

function shortened(name: string): string {
  return /^[0-9a-f]{64}$/.test(name) ? `${name.slice(0, 12)}…` : name
}

export function percent(part: number): string {
  return `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`.padStart(6)
}
