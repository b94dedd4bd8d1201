import { realpathSync } from 'node:fs'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { EnvdError } from '../../src/error.ts'
import type { Target } from '../../src/target/target.ts'
import { satisfies } from '../../src/version/specifier.ts'
import { compareVersions, parseVersion } from '../../src/version/version.ts'
import { askInterpreter } from './ask-interpreter.ts'
import { type Candidate, installedPythons } from './installed-pythons.ts'

const otherVersion = 'another version'
const supported = '>=3.10,<3.14'

/**
 * Path of the interpreter for a task: the newest that fits `wanted`, which is `3.12` (any patch), `3.12.1`, a
 * PEP 440 range, or null for any that envd supports. Among equal versions pyenv's comes first, then PATH, then
 * /usr/bin. `explicit` names the only one to use; it must fit.
 *
 * Errors: PYTHON_NOT_FOUND (says what there is and why it doesn't fit), and for an explicit one those of
 * `askInterpreter`.
 */
export function findInterpreter(
  volume: Volume,
  wanted: string | null,
  explicit: string | null,
  environment: NodeJS.ProcessEnv,
): string {
  const fits = requirement(wanted)
  if (explicit !== null) return explicitOne(volume, explicit, wanted, fits)
  const refused: Refusal[] = []
  const minor = wantedMinor(wanted)
  const there = installedPythons(environment)
  const others = minor === null ? [] : there.filter(one => one.minor !== null && one.minor !== minor)
  refused.push(
    ...others.map(({ path, version, minor }) => ({ path, version: version ?? minor, why: otherVersion })),
  )
  for (const group of byMinor(there.filter(one => !others.includes(one)))) {
    const fitting = group.flatMap(candidate => consider(volume, candidate, fits, refused))
    if (fitting.length > 0) return fitting.reduce(newer).interpreter
  }
  throw notFound(wanted, refused)
}

interface Refusal {
  readonly path: string
  readonly version: string | null
  readonly why: string
}

type Requirement = (version: string) => boolean

/** `3.12` of `3.12` and `3.12.1`; null for a range, of which only an exact version tells whether it fits. */
function wantedMinor(wanted: string | null): string | null {
  return /^\d+\.\d+(?=\.\d|$)/.exec(wanted ?? '')?.[0] ?? null
}

function requirement(wanted: string | null): Requirement {
  if (wanted === null) return version => satisfies(version, supported)
  if (/^\d+\.\d+$/.test(wanted)) return version => version.startsWith(`${wanted}.`)
  if (parseVersion(wanted) !== null) return version => compareVersions(version, wanted) === 0
  return version => satisfies(version, wanted)
}

function explicitOne(volume: Volume, path: string, wanted: string | null, fits: Requirement): string {
  const target = askInterpreter(volume, realPath(path))
  if (fits(target.version)) return target.interpreter
  throw notFound(wanted, [{ path, version: target.version, why: otherVersion }])
}

/** Asks only a candidate that may fit: its version where a folder's name tells it, its minor version else. */
function consider(volume: Volume, candidate: Candidate, fits: Requirement, refused: Refusal[]): Target[] {
  const { path, version } = candidate
  if (version !== null && !fits(version)) {
    refused.push({ path, version, why: otherVersion })
    return []
  }
  try {
    const target = askInterpreter(volume, path)
    if (fits(target.version)) return [target]
    refused.push({ path, version: target.version, why: otherVersion })
  } catch (error) {
    if (!(error instanceof EnvdError) || !error.code.startsWith('PYTHON_')) throw error
    refused.push({ path, version, why: error.message })
  }
  return []
}

/** Newest minor version first; those that don't tell stand in front, since they may be any. */
function byMinor(candidates: readonly Candidate[]): Candidate[][] {
  const number = ({ minor }: Candidate) => (minor === null ? Number.MAX_SAFE_INTEGER : Number(minor.slice(2)))
  const minors = [...new Set(candidates.map(number))].sort((a, b) => b - a)
  return minors.map(minor => candidates.filter(candidate => number(candidate) === minor))
}

function newer(best: Target, target: Target): Target {
  return compareVersions(target.version, best.version) > 0 ? target : best
}

function notFound(wanted: string | null, refused: readonly Refusal[]): EnvdError {
  const what = wanted === null ? 'a CPython 3.10–3.13' : `Python ${wanted}`
  const found = refused.map(({ path, version, why }) => `${version ?? '?'} at ${path} (${why})`).join('; ')
  return new EnvdError('PYTHON_NOT_FOUND', `${what} was not found; there is: ${found || 'none'}`, {
    details: { wanted, found: refused },
  })
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
