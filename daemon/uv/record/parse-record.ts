export interface RecordRow {
  readonly path: string
  /** 64 hex digits; null where the row has no digest or one of another kind. */
  readonly sha256: string | null
}

/**
 * What a RECORD lists, in its order: the first two fields of each row of a CSV file with `,` and `"` (PEP 376 and
 * "Recording installed projects", as Python's csv module reads them; rows end with LF, CR LF or CR). Characters are
 * handed through, so that a file read as latin1 gives the bytes of its paths. Null for a quote that never ends.
 */
export function parseRecord(text: string): RecordRow[] | null {
  const rows: RecordRow[] = []
  let fields: string[] = []
  let at = 0
  while (at < text.length) {
    const field = readField(text, at)
    if (field === null) return null
    fields.push(field.value)
    at = field.end
    if (text[at] === ',') {
      at += 1
      continue
    }
    addRow(rows, fields)
    fields = []
    at += text.startsWith('\r\n', at) ? 2 : 1
  }
  addRow(rows, fields)
  return rows
}

function addRow(rows: RecordRow[], [path = '', digest = '']: readonly string[]): void {
  if (path !== '') rows.push({ path, sha256: readDigest(digest) })
}

/** `sha256=` and the digest in base64url without padding (PEP 427, "Signed wheel files"). */
function readDigest(text: string): string | null {
  const encoded = /^sha256=([A-Za-z0-9_-]{43})$/.exec(text)?.[1]
  return encoded === undefined ? null : Buffer.from(encoded, 'base64url').toString('hex')
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
