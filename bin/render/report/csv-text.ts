import type { BuildReport, StorageReport } from '../../../src/api/report.ts'

type Cell = string | number

/** One measure of one thing a line (RFC 4180). Bytes are those of disk, but for `apparent`; times in seconds. */
export function csvText({ storage, build }: { storage?: StorageReport; build?: BuildReport }): string {
  const rows: Cell[][] = [
    ['section', 'name', 'version', 'key', 'measure', 'value'],
    ...(storage === undefined ? [] : storageRows(storage)),
    ...(build === undefined ? [] : buildRows(build)),
  ]
  return rows.map(row => `${row.map(quoted).join(',')}\r\n`).join('')
}

function storageRows({ total, parts, index, comparison, tasks, packages }: StorageReport): Cell[][] {
  return [
    ['volume', '', '', '', 'bytes', total.bytes],
    ['index', index.path, '', '', 'bytes', index.bytes],
    ...parts.map(({ part, bytes }) => ['part', part, '', '', 'bytes', bytes]),
    ['way', 'here', '', '', 'bytes', comparison.here],
    ...comparison.others.map(({ way, bytes }) => ['way', way, '', '', 'bytes', bytes]),
    ...tasks.flatMap(({ task, key, bytes }) => measures(['task', task ?? '', '', key], bytes)),
    ...packages.flatMap(({ name, version, packageKey, environments, bytes }) =>
      measures(['package', name, version, packageKey], { ...bytes, environments }),
    ),
  ]
}

function buildRows({ phases, rates, saved, endToEnd, builds }: BuildReport): Cell[][] {
  return [
    ...phases.map(({ phase, seconds }) => ['phase', phase, '', '', 'seconds', seconds]),
    ...Object.entries(rates).flatMap(([level, { asked, known }]) =>
      measures(['rate', level, '', ''], { asked, known }),
    ),
    ...measures(['saved', '', '', ''], { ...saved }),
    ...(endToEnd === null ? [] : measures(['end to end', '', '', ''], endToEnd)),
    ...builds.flatMap(({ at, task, key, seconds, bytes }) =>
      measures(['build', task ?? '', at, key], { ...seconds, apparent: bytes.apparent, added: bytes.added }),
    ),
  ]
}

function measures(what: readonly Cell[], values: Readonly<Record<string, number>>): Cell[][] {
  return Object.entries(values).map(([measure, value]) => [...what, measure, value])
}

function quoted(cell: Cell): string {
  const text = String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
