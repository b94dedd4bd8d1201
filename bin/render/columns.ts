interface ColumnOptions {
  /** Called with each cell, padded; for colours, which have no width. */
  readonly paint?: (cell: string, column: number) => string
  readonly indent?: string
}

/** Rows of text as lines with aligned columns, two spaces between them. */
export function columns(rows: readonly (readonly string[])[], options: ColumnOptions = {}): string {
  const { paint = cell => cell, indent = '' } = options
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length)
    })
  }
  return rows.map(row => `${indent}${row.map(painted(row.length)).join('  ').trimEnd()}\n`).join('')

  function painted(length: number) {
    return (cell: string, column: number) =>
      paint(column === length - 1 ? cell : cell.padEnd(widths[column]!), column)
  }
}
