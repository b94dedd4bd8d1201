import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Target } from '../../../src/target/target.ts'
import {
  pythonRequirement,
  SUPPORTED_PYTHONS,
  SUPPORTED_PYTHONS_TEXT,
} from '../../../src/task/python-request.ts'
import { satisfies } from '../../../src/version/specifier.ts'
import { compareVersions } from '../../../src/version/version.ts'
import { askInterpreter } from '../ask-interpreter.ts'
import { realPath } from '../fingerprint.ts'
import { type Candidate, installedPythons } from './installed-pythons.ts'
import { isKnownToRefuse, rememberRefusal } from './known-refusals.ts'

/**
 * Path of the interpreter for a task: the newest that fits `wanted`, which is `3.12` (any patch), `3.12.1`, a
 * PEP 440 range of those that envd supports, or null for any. Among equal versions pyenv's comes first, then PATH, then
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
  const fits = pythonRequirement(wanted)
  if (explicit !== null) return explicitOne(volume, explicit, wanted, fits)
  const there = installedPythons(environment)
  const minor = wantedMinor(wanted)
  const others = there.filter(one => !mayFit(one, minor, fits))
  const refused = others.map(({ path, version, minor }) => unfit(path, version ?? minor))
  const ask = (candidate: Candidate) => consider(volume, candidate, fits, refused)
  // Asked again only where a task would fail without.
  const doubted: Candidate[] = []
  const askUnlessDoubted = (candidate: Candidate) => {
    if (!isKnownToRefuse(volume, candidate.path)) return ask(candidate)
    doubted.push(candidate)
    return []
  }
  const mayAnswer = there.filter(one => !others.includes(one))
  const found = newestOf(mayAnswer, askUnlessDoubted) ?? newestOf(doubted, ask)
  if (found === undefined) throw notFound(wanted, refused)
  return found.interpreter
}

interface Refusal {
  readonly path: string
  readonly version: string | null
  readonly why: string
}

type Requirement = (version: string) => boolean

function unfit(path: string, version: string | null): Refusal {
  const known = version === null || satisfies(version, SUPPORTED_PYTHONS)
  return { path, version, why: known ? 'another version' : 'not supported' }
}

/** By its version where a folder's name tells it, by its minor version else. */
export function mayFit({ version, minor }: Candidate, wanted: string | null, fits: Requirement): boolean {
  if (version !== null) return fits(version)
  return minor === null || (satisfies(minor, SUPPORTED_PYTHONS) && (wanted === null || minor === wanted))
}

/** `3.12` of `3.12` and `3.12.1`; null for a range, of which only an exact version tells whether it fits. */
function wantedMinor(wanted: string | null): string | null {
  return /^\d+\.\d+(?=\.\d|$)/.exec(wanted ?? '')?.[0] ?? null
}

function explicitOne(volume: Volume, path: string, wanted: string | null, fits: Requirement): string {
  const target = askInterpreter(volume, realPath(path))
  if (fits(target.version)) return target.interpreter
  throw notFound(wanted, [unfit(path, target.version)])
}

/** Asks it: none where it doesn't fit or can't be used; then `refused` says why. */
export function consider(
  volume: Volume,
  candidate: Candidate,
  fits: Requirement,
  refused: Refusal[],
): Target[] {
  const { path, version } = candidate
  try {
    const target = askInterpreter(volume, path)
    if (fits(target.version)) return [target]
    refused.push(unfit(path, target.version))
  } catch (error) {
    if (!(error instanceof EnvdError) || !error.code.startsWith('PYTHON_')) throw error
    refused.push({ path, version, why: error.message })
    rememberRefusal(volume, path)
  }
  return []
}

function newestOf(
  candidates: readonly Candidate[],
  ask: (candidate: Candidate) => Target[],
): Target | undefined {
  for (const group of byMinor(candidates)) {
    const fitting = group.flatMap(ask)
    if (fitting.length > 0) return fitting.reduce(newer)
  }
  return undefined
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
  const what = wanted === null ? `a ${SUPPORTED_PYTHONS_TEXT}` : `Python ${wanted}`
  const found = refused.map(({ path, version, why }) => `${version ?? '?'} at ${path} (${why})`).join('; ')
  return new EnvdError('PYTHON_NOT_FOUND', `${what} was not found; there is: ${found || 'none'}`, {
    details: { wanted, found: refused },
    hint: `Install it, or name its path with --python or ENVD_PYTHON. envd supports ${SUPPORTED_PYTHONS_TEXT}.`,
  })
}
