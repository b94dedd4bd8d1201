import { EnvdError } from '../error.ts'
import type { Target } from '../target/target.ts'
import { normalizeName } from '../version/name.ts'
import { parseSpecifiers, satisfies } from '../version/specifier.ts'
import {
  type Comparison,
  comparesVersions,
  type Marker,
  type Operator,
  type TargetVariable,
} from './marker.ts'
import { printMarker } from './print-marker.ts'

/** What markers are evaluated for: a target, and what was chosen to be installed. */
export interface MarkerEnvironment {
  readonly values: Readonly<Record<TargetVariable, string>>
  /** Normalized. */
  readonly extras: ReadonlySet<string>
  readonly groups: ReadonlySet<string>
}

export function markerEnvironment(
  target: Target,
  chosen: { readonly extras?: ReadonlySet<string>; readonly groups?: ReadonlySet<string> } = {},
): MarkerEnvironment {
  const full = target.version
  return {
    values: {
      os_name: 'posix',
      sys_platform: target.platform,
      platform_machine: target.machine,
      platform_python_implementation: 'CPython',
      platform_system: 'Linux',
      python_version: full.split('.').slice(0, 2).join('.'),
      // A build between releases calls itself `3.14.0a1+`, which is no version.
      python_full_version: full.endsWith('+') ? `${full}local` : full,
      implementation_name: target.implementation,
      // The spec's format_full_version() takes the first letter of `candidate`.
      implementation_version: full.replace('rc', 'c').replace(/\+$/, ''),
    },
    extras: normalized(chosen.extras),
    groups: normalized(chosen.groups),
  }
}

/**
 * True when the marker holds. `extra == 'x'` holds when x is among the chosen extras. Throws
 * LOCK_MARKER_NEEDS_HOST when the result depends on the host's kernel.
 *
 * Agrees with `packaging` 26.1, and with uv 0.13 except where uv stands alone: it takes a comparison it finds
 * meaningless (`python_version >= '3.8.*'`, `'3.8' in python_version`) for true, reads `python_version in '3.9
 * 3.10'` as a list, and looks only at the release of a version (`python_full_version >= '3.14'` holds for it on
 * 3.14.0rc1). It refuses `===`, and writes none of these into a lock.
 */
export function evaluateMarker(marker: Marker, environment: MarkerEnvironment): boolean {
  const result = evaluate(marker, environment)
  if (result === null) {
    const text = printMarker(marker)
    throw new EnvdError('LOCK_MARKER_NEEDS_HOST', `the marker depends on the host's kernel: ${text}`, {
      details: { marker: text },
    })
  }
  return result
}

/** Kleene's three values; null is unknown. */
function evaluate(marker: Marker, environment: MarkerEnvironment): boolean | null {
  if (marker.kind === 'compare') return compare(marker, environment)
  const decisive = marker.kind === 'or'
  let result: boolean | null = !decisive
  for (const operand of marker.operands) {
    const value = evaluate(operand, environment)
    if (value === decisive) return decisive
    if (value === null) result = null
  }
  return result
}

function compare(comparison: Comparison, { values, extras, groups }: MarkerEnvironment): boolean | null {
  const { variable, operator, value, literalFirst } = comparison
  switch (variable) {
    case 'platform_release':
    case 'platform_version':
      return null
    case 'extras':
      return extras.has(value) === (operator === 'in')
    case 'dependency_groups':
      return groups.has(value) === (operator === 'in')
    case 'extra':
      return compareExtra(comparison, extras)
    default: {
      const ours = values[variable]
      const [left, right] = literalFirst ? [value, ours] : [ours, value]
      return comparesVersions(variable)
        ? compareVersion(left, operator, right)
        : compareText(left, operator, right)
    }
  }
}

/** One marker stands for the question once for each chosen extra; a negation must hold for all. */
function compareExtra({ operator, value, literalFirst }: Comparison, extras: ReadonlySet<string>): boolean {
  if (operator === '==') return extras.has(value)
  if (operator === '!=') return !extras.has(value)
  const holds = (extra: string) =>
    literalFirst ? compareText(value, operator, extra) : compareText(extra, operator, value)
  return operator === 'not in' ? [...extras].every(holds) : [...extras].some(holds)
}

function compareVersion(left: string, operator: Operator, right: string): boolean {
  if (operator === 'in' || operator === 'not in') return compareText(left, operator, right)
  const specifier = operator + right
  return isSingle(specifier) ? satisfies(left, specifier) : compareText(left, operator, right)
}

/** Text has no order: only its equality counts. */
function compareText(left: string, operator: Operator, right: string): boolean {
  switch (operator) {
    case 'in':
      return right.includes(left)
    case 'not in':
      return !right.includes(left)
    case '==':
    case '<=':
    case '>=':
      return left === right
    case '!=':
      return left !== right
    default:
      return false
  }
}

/** `python_version == '3.8,3.9'` compares text. */
function isSingle(specifier: string): boolean {
  return !specifier.includes(',') && parseSpecifiers(specifier) !== null
}

function normalized(names: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  return new Set([...names].map(normalizeName))
}
