import type { Place } from '../error.ts'
import { isName, normalizeName } from '../version/name.ts'
import { parseSpecifiers } from '../version/specifier.ts'
import type { Marker } from './marker.ts'
import { parseMarker } from './parse-marker.ts'
import { syntaxError } from './syntax-error.ts'

export interface Requirement {
  /** Normalized by PEP 503. */
  readonly name: string
  /** Normalized, sorted, each once. */
  readonly extras: readonly string[]
  /** Comma-separated, without spaces; empty when there is none. */
  readonly specifier: string
  readonly url: string | null
  readonly marker: Marker | null
}

const head = /^[ \t]*([A-Za-z0-9][A-Za-z0-9._-]*)[ \t]*(?:\[([^\]]*)\])?[ \t]*/
const direct = /^@[ \t]*(?<url>[^ \t]+)(?:[ \t]+(?<rest>.*))?$/

/**
 * A dependency specifier (PEP 508, "Grammar"): `name[extra]==1.0 ; marker` or `name @ url ; marker`. Throws
 * LOCK_SYNTAX with the column. `place` is where the text begins.
 */
export function parseRequirement(text: string, place: Place): Requirement {
  const [matched = '', name = '', extras = ''] = head.exec(text) ?? []
  if (!isName(name)) throw syntaxError('expected the name of a package', text, 0, place)
  const common = { name: normalizeName(name), extras: parseExtras(extras, text, place) }

  const rest = text.slice(matched.length)
  if (rest.startsWith('@')) {
    const groups = direct.exec(rest)?.groups
    if (groups === undefined) throw syntaxError('expected a URL after @', text, matched.length, place)
    const after = groups.rest ?? ''
    if (after !== '' && !after.startsWith(';')) {
      throw syntaxError('expected `;` or the end after the URL', text, text.length - after.length, place)
    }
    return {
      ...common,
      specifier: '',
      url: groups.url!,
      marker: markerAfter(text, text.length - after.length, place),
    }
  }
  const semicolon = rest.indexOf(';')
  const specifier = semicolon === -1 ? rest : rest.slice(0, semicolon)
  return {
    ...common,
    specifier: parseSpecifier(specifier, text, matched.length, place),
    url: null,
    marker: markerAfter(text, semicolon === -1 ? text.length : matched.length + semicolon, place),
  }
}

function parseExtras(list: string, text: string, place: Place): string[] {
  if (list.trim() === '') return []
  const names = list.split(',').map(name => name.trim())
  const wrong = names.find(name => !isName(name))
  if (wrong !== undefined)
    throw syntaxError(`"${wrong}" is not the name of an extra`, text, text.indexOf('['), place)
  return [...new Set(names.map(normalizeName))].sort()
}

function parseSpecifier(written: string, text: string, index: number, place: Place): string {
  const trimmed = written.trim()
  const inner = trimmed.startsWith('(') && trimmed.endsWith(')') ? trimmed.slice(1, -1) : trimmed
  const specifiers = parseSpecifiers(inner)
  if (specifiers === null) throw syntaxError(`"${trimmed}" is not a version specifier`, text, index, place)
  return specifiers
    .map(({ operator, text: version, wildcard }) => `${operator}${version}${wildcard ? '.*' : ''}`)
    .join(',')
}

/** `index` is where the semicolon is, or the end of the text. */
function markerAfter(text: string, index: number, place: Place): Marker | null {
  if (index === text.length) return null
  return parseMarker(text.slice(index + 1), { ...place, column: (place.column ?? 1) + index + 1 })
}
