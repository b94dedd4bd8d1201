/** A fact for columns that is a list; no row where there is nothing in it. */
export function listRow(name: string, values: readonly string[]): string[][] {
  return values.length === 0 ? [] : [[name, values.join(', ')]]
}
