/**
 * Environment markers (dependency specifiers, formerly PEP 508, "Environment Markers"), with the `extras` and
 * `dependency_groups` of lock files (PEP 751).
 */

/** The variables that a target answers. */
export const targetVariables = [
  'os_name',
  'sys_platform',
  'platform_machine',
  'platform_python_implementation',
  'platform_system',
  'python_version',
  'python_full_version',
  'implementation_name',
  'implementation_version',
] as const

/** They differ from host to host, so no target answers them. */
export const hostVariables = ['platform_release', 'platform_version'] as const

/** Sets: what was chosen to be installed. */
export const setVariables = ['extras', 'dependency_groups'] as const

export type TargetVariable = (typeof targetVariables)[number]
type HostVariable = (typeof hostVariables)[number]
type SetVariable = (typeof setVariables)[number]
export type Variable = TargetVariable | HostVariable | SetVariable | 'extra'

export const operators = ['===', '~=', '==', '!=', '<=', '>=', '<', '>', 'in', 'not in'] as const
export type Operator = (typeof operators)[number]

export interface Comparison {
  readonly kind: 'compare'
  readonly variable: Variable
  readonly operator: Operator
  /** The literal; an extra's or a group's is normalized. */
  readonly value: string
  /** `'3.8' <= python_version` instead of `python_version >= '3.8'`: operands are never swapped. */
  readonly literalFirst: boolean
}

export interface Combination {
  readonly kind: 'and' | 'or'
  /** Two or more, none of the same kind. */
  readonly operands: readonly Marker[]
}

export type Marker = Comparison | Combination

/** Compared as versions (PEP 440) where the right-hand side is a specifier's version, else as text. */
export function comparesVersions(variable: Variable): boolean {
  return (
    variable === 'python_version' ||
    variable === 'python_full_version' ||
    variable === 'implementation_version' ||
    variable === 'platform_release'
  )
}
