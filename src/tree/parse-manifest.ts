import { EnvdError } from '../error.ts'
import { comparePaths, entryProblem, MANIFEST_HEADER, type TreeEntry } from './manifest.ts'

/**
 * Reads the canonical text of a tree (format: manifest.ts). Accepts exactly what `formatManifest` writes, so that
 * text and digest stand for each other; anything else is VOLUME_CORRUPT with `file` and its line.
 */
export function parseManifest(text: string, file = 'manifest'): TreeEntry[] {
  const lines = text.split('\n')
  if (lines[0] !== MANIFEST_HEADER) throw corrupt(file, 1, `does not start with "${MANIFEST_HEADER}"`)
  if (lines.at(-1) !== '') throw corrupt(file, lines.length, 'is cut off')
  const entries: TreeEntry[] = []
  for (let index = 1; index < lines.length - 1; index++) {
    const entry = parseLine(lines[index]!)
    if (entry === null) throw corrupt(file, index + 1, 'is not an entry')
    const problem = entryProblem(entry)
    if (problem !== null) throw corrupt(file, index + 1, problem)
    const previous = entries.at(-1)
    if (previous !== undefined && comparePaths(previous.path, entry.path) >= 0) {
      throw corrupt(file, index + 1, 'is not sorted')
    }
    entries.push(entry)
  }
  return entries
}

const octal = /^[0-7]{4}$/
const decimal = /^(?:0|[1-9][0-9]{0,15})$/

function parseLine(line: string): TreeEntry | null {
  const fields = line.split('\t')
  const [letter, second, third, fourth, fifth] = fields
  if (letter === 'f' && fields.length === 5 && octal.test(second!) && decimal.test(third!)) {
    return {
      kind: 'file',
      path: fifth!,
      mode: Number.parseInt(second!, 8),
      size: Number(third),
      sha256: fourth!,
    }
  }
  if (letter === 'd' && fields.length === 3 && octal.test(second!)) {
    return { kind: 'directory', path: third!, mode: Number.parseInt(second!, 8) }
  }
  if (letter === 'l' && fields.length === 3) return { kind: 'link', path: second!, target: third! }
  return null
}

function corrupt(file: string, line: number, what: string): EnvdError {
  return new EnvdError('VOLUME_CORRUPT', `${file}:${line}: ${what}`, { details: { file, line } })
}
