/** A logical line of a requirements file (pip, "Requirements File Format"). */
export interface RequirementLine {
  /** Without comments and continuations, trimmed. */
  readonly text: string
  /** Of its first physical line, counted from 1. */
  readonly line: number
  /** The physical line a piece of the text stands on. */
  lineOf(piece: string): number
}

/**
 * Joins lines that end in a backslash, then drops comments (`#` at the start or after white space), as pip
 * does: a line that is a comment ends a continuation, whatever it ends in.
 */
export function requirementLines(text: string): readonly RequirementLine[] {
  const lines: RequirementLine[] = []
  let open: { readonly line: number; readonly pieces: string[] } | null = null
  for (const [index, physical] of text.split(/\r\n|\r|\n/).entries()) {
    open ??= { line: index + 1, pieces: [] }
    const isComment = /^\s*#/.test(physical)
    const continues = physical.endsWith('\\') && !isComment
    open.pieces.push(continues ? physical.slice(0, -1) : isComment ? ` ${physical}` : physical)
    if (continues) continue
    add(open.line, open.pieces)
    open = null
  }
  if (open !== null) add(open.line, open.pieces)
  return lines

  function add(line: number, pieces: readonly string[]): void {
    const joined = withoutComment(pieces.join('')).trim()
    if (joined === '') return
    lines.push({
      text: joined,
      line,
      lineOf: piece =>
        line +
        Math.max(
          0,
          pieces.findIndex(candidate => candidate.includes(piece)),
        ),
    })
  }
}

function withoutComment(line: string): string {
  return line.replace(/(^|\s)#.*$/, '')
}
