import { parse } from 'smol-toml'
import { EnvdError } from '../error.ts'

/** A pin to be written into the `[[artifact]]` at a position, counted from 0. */
export interface Pin {
  readonly position: number
  readonly key: 'revision' | 'tree'
  readonly value: string
}

/**
 * The text of a task.toml with pins in it; every other line stays as it is. A branch or tag that a commit replaces is
 * kept as a comment. Throws TASK_INVALID where an artifact is written in a way that this can't edit.
 */
export function writePins(text: string, file: string, pins: readonly Pin[]): string {
  const edited = pins.reduce((lines, pin) => writePin(lines, pin), text.split('\n')).join('\n')
  if (isPinned(text, edited, pins)) return edited
  const wanted = pins.map(({ position, key, value }) => `${key} = "${value}" in artifact ${position + 1}`)
  throw new EnvdError(
    'TASK_INVALID',
    `${file}: its artifacts are not written as [[artifact]] with a line a key`,
    {
      hint: `Write by hand: ${wanted.join('; ')}.`,
      details: { place: { file }, pins },
    },
  )
}

function writePin(lines: readonly string[], { position, key, value }: Pin): string[] {
  const headers = lines.flatMap((line, index) => (/^\s*\[\[\s*artifact\s*\]\]/.test(line) ? [index] : []))
  const start = headers[position]
  if (start === undefined) return [...lines]
  const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line))
  const end = next === -1 ? lines.length : next
  const at = (pattern: RegExp) =>
    lines.findIndex((line, index) => index > start && index < end && pattern.test(line))
  const there = at(new RegExp(`^\\s*${key}\\s*=`))
  if (there !== -1) return lines.toSpliced(there, 1, replaceValue(lines[there]!, value))
  const after = at(/^\s*(hub|directory)\s*=/)
  if (after === -1) return [...lines]
  const indent = /^\s*/.exec(lines[after]!)![0]
  const carriage = lines[after]!.endsWith('\r') ? '\r' : ''
  return lines.toSpliced(after + 1, 0, `${indent}${key} = "${value}"${carriage}`)
}

function replaceValue(line: string, value: string): string {
  const match = /^(\s*\w+\s*=\s*)(?:"([^"\\]*)"|'([^']*)')(\s*)(#.*)?(\r?)$/.exec(line)
  if (match === null) return line
  const [, before, double, single, space = '', comment, carriage] = match
  const old = double ?? single ?? ''
  const note = comment === undefined ? ` # ${old}` : `${space || ' '}${comment}`
  return `${before}"${value}"${old === value ? `${space}${comment ?? ''}` : note}${carriage}`
}

/** The edited text says what the other said, and the pins. */
function isPinned(text: string, edited: string, pins: readonly Pin[]): boolean {
  const wanted = parse(text)
  const artifacts = wanted.artifact as Record<string, string>[]
  for (const { position, key, value } of pins) artifacts[position]![key] = value
  try {
    return sortedJson(parse(edited)) === sortedJson(wanted)
  } catch {
    return false
  }
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    typeof one === 'object' && one !== null && !Array.isArray(one) && !(one instanceof Date)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  )
}
