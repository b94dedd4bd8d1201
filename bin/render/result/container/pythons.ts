import type { PythonImport, PythonRow, RemovedPython } from '../../../../src/api/pythons.ts'
import { formatBytes, formatCount, formatSeconds } from '../../amounts.ts'
import { columns } from '../../columns.ts'
import { listRow } from '../../list-row.ts'
import type { Style } from '../../style.ts'
import { table } from '../../table.ts'

/** What `envd python import` took in. */
export function importedText({ python, reused, added, seconds }: PythonImport, style: Style): string {
  const { version, digest, path, files, bytes, minimumLibc, libraries, leftOut } = python
  const facts = [
    ['digest', digest],
    ['path', path],
    [
      'holds',
      `${formatCount(files, 'file')}, ${formatBytes(bytes)}; ${formatBytes(added.bytes)} new to the store`,
    ],
    ['needs', `${minimumLibc.name} ${minimumLibc.version} in the image`],
    ...listRow('brought', libraries),
    ...listRow('left out', leftOut),
  ]
  const done = reused ? 'was taken in before' : `is taken in after ${formatSeconds(seconds)}`
  return `${style.bold(`Python ${version}`)} ${style.green(done)}\n${columns(facts, { indent: '  ' })}`
}

/** The table of `envd python ls`. */
export function pythonsText(rows: readonly PythonRow[], style: Style): string {
  if (rows.length === 0) return 'no interpreters; `envd python import <prefix>` takes one in\n'
  const header = ['VERSION', 'NEEDS', 'SIZE', 'FROM', 'DIGEST']
  return table(header, rows.map(cells), style)
}

export function removedPythonText({ version, digest, bytesFreed }: RemovedPython, style: Style): string {
  const facts = [
    ['digest', digest],
    ['freed', formatBytes(bytesFreed)],
  ]
  const python = style.bold(`Python ${version ?? 'with a damaged record'}`)
  return `${python} ${style.green('is removed')}\n${columns(facts, { indent: '  ' })}`
}

function cells({ version, machine, minimumLibc, bytes, importedFrom, digest }: PythonRow): string[] {
  return [
    version,
    `${machine}, ${minimumLibc.name} ${minimumLibc.version}`,
    formatBytes(bytes),
    importedFrom,
    digest,
  ]
}
