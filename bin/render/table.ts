import { columns } from './columns.ts'
import type { Style } from './style.ts'

interface TableOptions {
  /** Colours of the second column by what it says; another state has none. */
  readonly states?: Readonly<Record<string, (cell: string) => string>>
  /** What stands below a row. */
  readonly below?: (row: number) => string | undefined
}

/** Aligned columns under a header. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  style: Style,
  { states = {}, below = () => undefined }: TableOptions = {},
): string {
  const [head = '', ...body] = columns([header, ...rows], {
    paint: (cell, column) => (column === 1 ? (states[cell.trimEnd()]?.(cell) ?? cell) : cell),
  }).split('\n')
  const lines = body.flatMap((line, row) => {
    const note = below(row)
    return note === undefined ? [line] : [line, style.dim(`  ${note}`)]
  })
  return [style.dim(head), ...lines].join('\n')
}
