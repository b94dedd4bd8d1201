import type { TaskRow, TaskState } from '../../../src/api/operations.ts'
import { formatBytes } from '../amounts.ts'
import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

/** The table of `envd ls`. */
export function tasksText(rows: readonly TaskRow[], style: Style): string {
  if (rows.length === 0) return 'no tasks\n'
  const header = ['TASK', 'STATE', 'PACKAGES', 'SIZE', 'KEY']
  const entries = rows.flatMap(({ inDefaultImage, ...row }): Entry[] =>
    inDefaultImage === undefined ? [row] : [row, { ...inDefaultImage, task: `  in ${inDefaultImage.image}` }],
  )
  const lines = columns([header, ...entries.map(cells)], {
    paint: (cell, column) => (column === 1 ? stateColour(cell.trimEnd(), style)(cell) : cell),
  }).split('\n')
  const [head = '', ...body] = lines
  return [style.dim(head), ...body.flatMap((line, index) => [line, ...problem(entries[index], style)])].join(
    '\n',
  )
}

/** A line of the table. */
type Entry = Omit<TaskRow, 'inDefaultImage'>

function cells({ task, state, packages, bytes, key }: Entry): string[] {
  return [task, state, packages?.toString() ?? '-', bytes === null ? '-' : formatBytes(bytes), key ?? '-']
}

function problem(entry: Entry | undefined, style: Style): string[] {
  return entry?.problem === undefined ? [] : [style.dim(`  ${entry.problem}`)]
}

function stateColour(state: string, style: Style): (cell: string) => string {
  const colours: Partial<Record<TaskState | string, (cell: string) => string>> = {
    ready: style.green,
    building: style.cyan,
    'lock changed': style.yellow,
    'target changed': style.yellow,
    invalid: style.red,
  }
  return colours[state] ?? (cell => cell)
}
