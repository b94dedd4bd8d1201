import type { TaskRow, TaskState } from '../../../../src/api/operations.ts'
import { formatBytes } from '../../amounts.ts'
import type { Style } from '../../style.ts'
import { table } from '../../table.ts'

/** The table of `envd ls`. */
export function tasksText(rows: readonly TaskRow[], style: Style): string {
  if (rows.length === 0) return 'no tasks\n'
  const header = ['TASK', 'STATE', 'PACKAGES', 'SIZE', 'KEY']
  const entries = rows.flatMap(({ inDefaultImage, ...row }): Entry[] =>
    inDefaultImage === undefined ? [row] : [row, { ...inDefaultImage, task: `  in ${inDefaultImage.image}` }],
  )
  return table(header, entries.map(cells), style, {
    states: states(style),
    below: row => entries[row]?.problem,
  })
}

/** A line of the table. */
type Entry = Omit<TaskRow, 'inDefaultImage'>

function cells({ task, state, packages, bytes, key }: Entry): string[] {
  return [task, state, packages?.toString() ?? '-', bytes === null ? '-' : formatBytes(bytes), key ?? '-']
}

function states({ green, cyan, yellow, red }: Style) {
  return {
    ready: green,
    building: cyan,
    'lock changed': yellow,
    'target changed': yellow,
    invalid: red,
  } satisfies Partial<Record<TaskState, (cell: string) => string>>
}
