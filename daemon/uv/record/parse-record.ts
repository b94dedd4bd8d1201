/**
 * The paths a RECORD lists, in its order: the first field of each row of a CSV file with `,` and `"` (PEP 376 and
 * "Recording installed projects", as Python's csv module reads them; rows end with LF, CR LF or CR). Characters are
 * handed through, so that a file read as latin1 gives the bytes of its paths. Null for a quote that never ends.
 */
export function parseRecord(text: string): string[] | null {
  const paths: string[] = []
  let row: string | undefined
  let at = 0
  while (at < text.length) {
    const field = readField(text, at)
    if (field === null) return null
    row ??= field.value
    at = field.end
    if (text[at] === ',') {
      at += 1
      continue
    }
    if (row !== '') paths.push(row)
    row = undefined
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  if (row !== undefined && row !== '') paths.push(row)
  return paths
}

interface Field {
  readonly value: string
  /** Where the `,` or the end of the row is. */
  readonly end: number
}

const plainField = /[^,\r\n]*/y
const quotedField = /"((?:[^"]|"")*)"(?!")([^,\r\n]*)/y

function readField(text: string, at: number): Field | null {
  if (text[at] !== '"') {
    plainField.lastIndex = at
    const value = plainField.exec(text)![0]
    return { value, end: at + value.length }
  }
  quotedField.lastIndex = at
  const match = quotedField.exec(text)
  if (match === null) return null
  // What follows a closing quote belongs to the field, as the csv module has it.
  return { value: match[1]!.replaceAll('""', '"') + match[2]!, end: at + match[0].length }
}
