import { parse } from 'smol-toml'

/**
 * The line, counted from 1, where the value at `path` begins in a TOML text that parses, or null.
 *
 * TOML ends every statement at a line's end, so the shortest run of lines that parses and holds the value ends
 * with its statement; the statement begins after the longest shorter run that parses too. For error messages
 * only: it parses once a line.
 */
export function keyLine(text: string, path: readonly string[]): number | null {
  const lines = text.split('\n')
  let begin = 1
  for (let count = 1; count <= lines.length; count++) {
    const table = parseOrNull(lines.slice(0, count).join('\n'))
    if (table === null) continue
    if (holds(table, path)) return begin
    begin = count + 1
  }
  return null
}

function parseOrNull(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return null
  }
}

function holds(table: unknown, path: readonly string[]): boolean {
  let value = table
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return true
}
