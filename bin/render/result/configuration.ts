import { columns } from '../columns.ts'
import type { Style } from '../style.ts'

interface Value {
  readonly key: string
  readonly value: string | null
  readonly origin?: string
}

/** Settings with their values, and where these came from if that was asked for. */
export function valuesText(values: readonly Value[], style: Style): string {
  const rows = values.map(({ key, value, origin }) => [
    key,
    value ?? '(none)',
    ...(origin === undefined ? [] : [origin]),
  ])
  const paints = [style.cyan, (cell: string) => cell, style.dim]
  return columns(rows, { paint: (cell, column) => paints[column]?.(cell) ?? cell })
}
