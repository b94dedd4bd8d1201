import { parse, TomlError } from 'smol-toml'
import { EnvdError, formatPlace, type Place } from '../../error.ts'

/** smol-toml tells no positions of values, so a place is looked up in the text when an error needs it. */
export type Locate = (needle?: string) => Place

/** A TOML document's root table. Throws LOCK_SYNTAX with the line and column of what is not TOML. */
export function parseToml(text: string, file: string): TomlTable {
  try {
    return new TomlTable(parse(text) as Values, locateHead(text, file))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const place = { file, line: error.line, column: error.column }
    // Only the first line: the rest repeats the text of the file.
    throw new EnvdError('LOCK_SYNTAX', `${formatPlace(place)}: ${error.message.split('\n', 1)[0]}`, {
      details: { ...place },
    })
  }
}

type Values = Readonly<Record<string, unknown>>

/** Reads typed values out of a table; a value of another type is LOCK_SYNTAX. */
export class TomlTable {
  readonly values: Values
  readonly locate: Locate

  constructor(values: Values, locate: Locate) {
    this.values = values
    this.locate = locate
  }

  keys(): readonly string[] {
    return Object.keys(this.values)
  }

  has(key: string): boolean {
    return this.values[key] !== undefined
  }

  string(key: string): string {
    return this.optionalString(key) ?? this.fail(`\`${key}\` is missing`, key)
  }

  optionalString(key: string): string | null {
    const value = this.values[key]
    if (value === undefined) return null
    return typeof value === 'string' ? value : this.fail(`\`${key}\` is not a string`, key)
  }

  /** A whole number, null where there is none. */
  optionalInteger(key: string): number | null {
    const value = this.values[key]
    if (value === undefined) return null
    return Number.isSafeInteger(value) ? (value as number) : this.fail(`\`${key}\` is not an integer`, key)
  }

  strings(key: string): readonly string[] {
    const value = this.values[key] ?? []
    if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value
    return this.fail(`\`${key}\` is not an array of strings`, key)
  }

  table(key: string): TomlTable | null {
    const value = this.values[key]
    if (value === undefined) return null
    return isTable(value) ? new TomlTable(value, this.locate) : this.fail(`\`${key}\` is not a table`, key)
  }

  /** An array of tables. `locateItem` gives each its own place. */
  tables(key: string, locateItem?: (position: number) => Locate): readonly TomlTable[] {
    const value = this.values[key] ?? []
    if (!Array.isArray(value) || !value.every(isTable))
      return this.fail(`\`${key}\` is not an array of tables`, key)
    return value.map((item, position) => new TomlTable(item, locateItem?.(position) ?? this.locate))
  }

  /** An array of arrays of tables. */
  arraysOfTables(key: string): readonly (readonly TomlTable[])[] {
    const value = this.values[key] ?? []
    if (!Array.isArray(value)) return this.fail(`\`${key}\` is not an array`, key)
    return value.map(item => new TomlTable({ [key]: item }, this.locate).tables(key))
  }

  fail(message: string, needle?: string): never {
    const place = this.locate(needle)
    throw new EnvdError('LOCK_SYNTAX', `${formatPlace(place)}: ${message}`, { details: { ...place } })
  }
}

function isTable(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/**
 * Places of the tables of an array of tables: the line of the n-th `[[name]]`, or the first line below it,
 * still in the same table, that holds a needle. No line where the array is written inline.
 */
export function locateTables(text: string, file: string, name: string): (position: number) => Locate {
  let headers: readonly number[] | null = null
  const findHeaders = () => {
    const header = new RegExp(`^[ \\t]*\\[\\[[ \\t]*["']?${name}["']?[ \\t]*\\]\\]`, 'gm')
    return Array.from(text.matchAll(header), match => match.index)
  }
  return position => needle => {
    headers ??= findHeaders()
    const start = headers[position]
    if (start === undefined) return { file }
    const end = headers[position + 1] ?? text.length
    const found = needle === undefined ? -1 : text.indexOf(needle, start)
    return { file, line: lineAt(text, found >= 0 && found < end ? found : start) }
  }
}

/** Places of the keys, or else of any text, above the first array of tables. */
function locateHead(text: string, file: string): Locate {
  return key => {
    const end = text.search(/^[ \t]*\[\[/m)
    const head = end === -1 ? text : text.slice(0, end)
    const statement = key === undefined ? -1 : `\n${head}`.indexOf(`\n${key}`)
    const found = statement === -1 && key !== undefined ? head.indexOf(key) : statement
    return found === -1 ? { file } : { file, line: lineAt(text, found) }
  }
}

/** Counted from 1. */
function lineAt(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}
