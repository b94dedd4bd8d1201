/** Version specifiers by PEP 440 ("Version specifiers"), pre-releases always allowed: a lock has chosen. */
import { EnvdError } from '../error.ts'
import { memoize } from '../memoize.ts'
import { compareParsed, isPrerelease, normalizeVersion, parseVersion, type Version } from './version.ts'

const operators = ['===', '~=', '==', '!=', '<=', '>=', '<', '>'] as const

export interface Specifier {
  readonly operator: (typeof operators)[number]
  /** As written, without `.*`. */
  readonly text: string
  /** Null for `===` with something that isn't a version. */
  readonly version: Version | null
  /** `==1.2.*`. */
  readonly wildcard: boolean
}

/** Comma-separated specifiers; the empty text has none, and is what every version satisfies. Null when wrong. */
export const parseSpecifiers: (text: string) => readonly Specifier[] | null = memoize(text => {
  const specifiers: Specifier[] = []
  for (const part of text.split(',')) {
    if (part.trim() === '') continue
    const specifier = parseOne(part.trim())
    if (specifier === null) return null
    specifiers.push(specifier)
  }
  return specifiers
})

/** True when the version satisfies all specifiers. Throws LOCK_SYNTAX when these aren't specifiers. */
export function satisfies(version: string, specifiers: string): boolean {
  const parsed = parseSpecifiers(specifiers)
  if (parsed === null) throw new EnvdError('LOCK_SYNTAX', `not a version specifier (PEP 440): ${specifiers}`)
  return parsed.every(specifier => satisfiesOne(version, specifier))
}

/** The normalized version that the specifiers pin: one `==` or `===` without wildcard and nothing else. */
export function pinnedVersion(specifiers: string): string | null {
  const [first, ...more] = parseSpecifiers(specifiers) ?? []
  if (first === undefined || more.length > 0 || first.wildcard) return null
  return first.operator === '==' || first.operator === '===' ? normalizeVersion(first.text) : null
}

function parseOne(text: string): Specifier | null {
  const operator = operators.find(candidate => text.startsWith(candidate))
  if (operator === undefined) return null
  const rest = text.slice(operator.length).trim()
  if (operator === '===') {
    return /[\s;)]/.test(rest) ? null : { operator, text: rest, version: parseVersion(rest), wildcard: false }
  }
  const equality = operator === '==' || operator === '!='
  const wildcard = equality && rest.endsWith('.*')
  const written = wildcard ? rest.slice(0, -2) : rest
  const version = /\s/.test(written) ? null : parseVersion(written)
  if (version === null) return null
  if (version.local !== null && (wildcard || !equality)) return null
  if (wildcard && (isPrerelease(version) || version.post !== null)) return null
  if (operator === '~=' && version.release.length < 2) return null
  return { operator, text: written, version, wildcard }
}

function satisfiesOne(text: string, specifier: Specifier): boolean {
  if (specifier.operator === '===') return text.trim().toLowerCase() === specifier.text.toLowerCase()
  const version = parseVersion(text)
  if (version === null) return false
  const wanted = specifier.version!
  switch (specifier.operator) {
    case '==':
      return equal(version, wanted, specifier.wildcard)
    case '!=':
      return !equal(version, wanted, specifier.wildcard)
    case '<=':
      return compareParsed(withoutLocal(version), wanted) <= 0
    case '>=':
      return compareParsed(withoutLocal(version), wanted) >= 0
    case '~=':
      return (
        compareParsed(withoutLocal(version), wanted) >= 0 &&
        beginsWith(version, { ...wanted, release: wanted.release.slice(0, -1) })
      )
    case '<':
      return less(version, wanted)
    case '>':
      return greater(version, wanted)
  }
}

function equal(version: Version, wanted: Version, wildcard: boolean): boolean {
  if (wildcard) return beginsWith(version, wanted)
  return compareParsed(wanted.local === null ? withoutLocal(version) : version, wanted) === 0
}

/** Missing parts of the release are zeros: `1` begins with `1.0`. */
function beginsWith(version: Version, prefix: Version): boolean {
  return (
    version.epoch === prefix.epoch && prefix.release.every((part, i) => part === (version.release[i] ?? 0))
  )
}

/** `<1.0` excludes the pre-releases of 1.0. */
function less(version: Version, wanted: Version): boolean {
  if (compareParsed(version, wanted) >= 0) return false
  const excluded = !isPrerelease(wanted) && isPrerelease(version)
  return !excluded || compareParsed(version, { ...wanted, dev: 0, local: null }) < 0
}

/** `>1.0` excludes the post-releases and the local versions of 1.0. */
function greater(version: Version, wanted: Version): boolean {
  if (compareParsed(version, wanted) <= 0) return false
  const released = { ...version, post: null, dev: null, local: null }
  if (version.post !== null && compareParsed(released, wanted) === 0) return false
  return version.local === null || compareParsed(withoutLocal(version), wanted) !== 0
}

function withoutLocal(version: Version): Version {
  return version.local === null ? version : { ...version, local: null }
}
