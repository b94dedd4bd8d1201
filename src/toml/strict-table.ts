import { parse, TomlError } from 'smol-toml'
import { EnvdError, type ErrorCode, type ErrorOptions, formatPlace, type Place } from '../error.ts'
import { nearestName } from '../nearest-name.ts'
import { keyLine } from './key-line.ts'

/** A table of a TOML file that a person writes: every value is asked for by name and type, the rest refused. */
export interface StrictTable {
  string(key: string): string | null
  integer(key: string): number | null
  boolean(key: string): boolean | null
  strings(key: string): string[] | null
  /** A table of strings with free names; empty where it is absent. */
  stringsByName(key: string): Record<string, string>
  table(key: string): StrictTable | null
  /** An array of tables; empty where it is absent. */
  tables(key: string): StrictTable[]
  has(key: string): boolean
  /** An error that names the file and the line of `key`. */
  error(
    key: string | readonly string[],
    message: string,
    options?: ErrorOptions & { code?: ErrorCode },
  ): EnvdError
  /** Refuses the keys that were not asked for. */
  refuseOthers(): void
}

/** Errors have code `code`; a syntax error too. */
export function parseStrictTable(text: string, file: string, code: ErrorCode): StrictTable {
  try {
    return strictTable(parse(text), [], { text, file, code })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
    throw placed(code, { file, line: error.line, column: error.column }, reason, { cause: error })
  }
}

/** Names of tables, and positions in arrays of them, counted from 0. */
type Path = readonly (string | number)[]

interface Source {
  readonly text: string
  readonly file: string
  readonly code: ErrorCode
}

function strictTable(values: Record<string, unknown>, path: Path, source: Source): StrictTable {
  const asked = new Set<string>()

  function error(
    key: string | readonly string[],
    message: string,
    { code = source.code, ...options }: ErrorOptions & { code?: ErrorCode } = {},
  ): EnvdError {
    const keys = [...path, ...(typeof key === 'string' ? [key] : key)]
    const line = keyLine(source.text, keys.map(String))
    return placed(code, { file: source.file, ...(line === null ? {} : { line }) }, message, options)
  }

  function take<T>(key: string, wanted: string, accept: (value: unknown) => value is T): T | null {
    asked.add(key)
    if (!Object.hasOwn(values, key)) return null
    const value = values[key]
    if (!accept(value)) throw error(key, `${dotted([...path, key])} must be ${wanted}, not ${kindOf(value)}`)
    return value
  }

  return {
    string: key => take(key, 'a string', isString),
    integer: key => take(key, 'a whole number', isInteger),
    boolean: key => take(key, 'true or false', isBoolean),
    strings: key => take(key, 'an array of strings', isStrings),
    stringsByName(key) {
      const table = take(key, 'a table', isTable) ?? {}
      for (const [name, value] of Object.entries(table)) {
        if (isString(value)) continue
        const named = dotted([...path, key, name])
        throw error([key, name], `${named} must be a string, not ${kindOf(value)}`)
      }
      return table as Record<string, string>
    },
    table(key) {
      const table = take(key, 'a table', isTable)
      return table === null ? null : strictTable(table, [...path, key], source)
    },
    tables(key) {
      const tables = take(key, 'an array of tables', isTables) ?? []
      return tables.map((table, index) => strictTable(table, [...path, key, index], source))
    },
    has: key => Object.hasOwn(values, key),
    error,
    refuseOthers() {
      const unknown = Object.keys(values).find(key => !asked.has(key))
      if (unknown === undefined) return
      const nearest = nearestName(unknown, asked)
      const options = nearest === null ? {} : { hint: `Did you mean ${dotted([...path, nearest])}?` }
      throw error(unknown, `unknown key ${dotted([...path, unknown])}`, options)
    },
  }
}

function placed(code: ErrorCode, place: Place, message: string, options: ErrorOptions): EnvdError {
  return new EnvdError(code, `${formatPlace(place)}: ${message}`, {
    ...options,
    details: { place, ...options.details },
  })
}

function dotted(path: Path): string {
  return path
    .map(key => (typeof key === 'number' ? `[${key}]` : named(key)))
    .join('.')
    .replaceAll('.[', '[')
}

function named(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key)
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)
const isStrings = (value: unknown): value is string[] => Array.isArray(value) && value.every(isString)
const isTables = (value: unknown): value is Record<string, unknown>[] =>
  Array.isArray(value) && value.every(isTable)
const isTable = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === '[object Object]'

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'an array'
  if (value instanceof Date) return 'a date'
  if (isTable(value)) return 'a table'
  const kinds: Record<string, string> = { string: 'a string', number: 'a number', boolean: 'a boolean' }
  return kinds[typeof value] ?? `a ${typeof value}`
}
