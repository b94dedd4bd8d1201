/**
 * The patterns by which huggingface_hub selects the files of a repository (`allow_patterns`, `ignore_patterns`;
 * `filter_repo_objects`): Python's `fnmatch.fnmatchcase`, in which `*` and `?` match `/` too, with `dir/` for `dir/*`
 * and a backslash for a slash.
 */
export interface Patterns {
  /** Null: every file. */
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
}

/** Whether a path of a repository is selected. */
export function pathSelector({ include, exclude }: Patterns): (path: string) => boolean {
  const allowed = include?.map(matcher)
  const ignored = exclude.map(matcher)
  return path => {
    const characters = [...path.replaceAll('\\', '/')]
    const matches = (pattern: Matcher) => pattern(characters)
    return (allowed === undefined || allowed.some(matches)) && !ignored.some(matches)
  }
}

type Matcher = (characters: readonly string[]) => boolean

function matcher(pattern: string): Matcher {
  const slashed = pattern.replaceAll('\\', '/')
  const parts = parsePattern(slashed.endsWith('/') ? `${slashed}*` : slashed)
  return characters => matches(parts, characters)
}

/** One character of a path, or `*`. */
type Part = 'star' | ((character: string) => boolean)

/** As `fnmatch.translate` of CPython reads a pattern. */
function parsePattern(pattern: string): Part[] {
  const characters = [...pattern]
  const parts: Part[] = []
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at]!
    if (character === '*') parts.push('star')
    else if (character === '?') parts.push(() => true)
    else if (character === '[') {
      const end = setEnd(characters, at + 1)
      if (end === null) parts.push(equals('['))
      else {
        parts.push(parseSet(characters.slice(at + 1, end)))
        at = end
      }
    } else parts.push(equals(character))
  }
  return parts
}

function equals(wanted: string): (character: string) => boolean {
  return character => character === wanted
}

/** Where the set that begins at `start` is closed; null: it is none, and the bracket is a bracket. */
function setEnd(characters: readonly string[], start: number): number | null {
  let at = start
  if (characters[at] === '!') at += 1
  if (characters[at] === ']') at += 1
  const end = characters.indexOf(']', at)
  return end === -1 ? null : end
}

function parseSet(characters: readonly string[]): (character: string) => boolean {
  const { negated, ranges } = rangesOf(characters)
  return character => {
    const point = character.codePointAt(0)!
    return ranges.some(([low, high]) => low <= point && point <= high) !== negated
  }
}

interface CharacterSet {
  readonly negated: boolean
  readonly ranges: readonly (readonly [number, number])[]
}

/** Chunks are what stands between the hyphens of ranges; ranges that would be empty vanish. */
function rangesOf(characters: readonly string[]): CharacterSet {
  const chunks = chunksOf(characters)
  for (let index = chunks.length - 1; index > 0; index--) {
    const [before, chunk] = [chunks[index - 1]!, chunks[index]!]
    if (before.at(-1)!.codePointAt(0)! > chunk[0]!.codePointAt(0)!) {
      chunks.splice(index - 1, 2, [...before.slice(0, -1), ...chunk.slice(1)])
    }
  }
  const negated = chunks[0]?.[0] === '!'
  if (negated) chunks[0] = chunks[0]!.slice(1)
  const ranges: [number, number][] = []
  for (const [index, chunk] of chunks.entries()) {
    const points = chunk.map(character => character.codePointAt(0)!)
    for (const point of points) ranges.push([point, point])
    const next = chunks[index + 1]
    if (next !== undefined && points.length > 0) ranges.push([points.at(-1)!, next[0]!.codePointAt(0)!])
  }
  return { negated, ranges }
}

function chunksOf(characters: readonly string[]): string[][] {
  const chunks: string[][] = []
  let begin = 0
  let search = characters[0] === '!' ? 2 : 1
  for (;;) {
    const hyphen = characters.indexOf('-', search)
    if (hyphen === -1) break
    chunks.push(characters.slice(begin, hyphen))
    begin = hyphen + 1
    search = hyphen + 3
  }
  const rest = characters.slice(begin)
  if (rest.length > 0 || chunks.length === 0) chunks.push(rest)
  else chunks.at(-1)!.push('-')
  return chunks
}

/** Only the last `*` may have to give way: what the ones before it matched can stay. */
function matches(parts: readonly Part[], characters: readonly string[]): boolean {
  let part = 0
  let star = -1
  let starAt = 0
  for (let at = 0; at < characters.length; ) {
    const wanted = parts[part]
    if (wanted === 'star') {
      star = part++
      starAt = at
    } else if (wanted?.(characters[at]!)) {
      part += 1
      at += 1
    } else if (star !== -1) {
      part = star + 1
      at = ++starAt
    } else return false
  }
  while (parts[part] === 'star') part += 1
  return part === parts.length
}
