import { EnvdError } from '../error.ts'
import type { Lock } from '../lock/lock.ts'
import type { Target } from '../target/target.ts'
import { pythonRequirement, SUPPORTED_PYTHONS_TEXT } from '../task/python-request.ts'
import { satisfies } from '../version/specifier.ts'
import { selectPackages } from './select-packages.ts'
import type { Selection } from './selection.ts'

/**
 * Refuses what can't be prepared for any target: `wanted` (of task.toml) names no Python that both envd and the lock
 * allow, or the selection fails whichever it is. Throws PYTHON_UNSUPPORTED, LOCK_REQUIRES_PYTHON, and as selectPackages.
 */
export function requireSomeTarget(lock: Lock, selection: Selection, wanted: string | null): void {
  const versions = possibleVersions(wanted)
  if (versions.length === 0) throw unsupported(wanted)
  const { requiresPython } = lock
  const allowed = versions.filter(version => requiresPython === null || satisfies(version, requiresPython))
  if (allowed.length === 0) throw excluded(lock, wanted)
  const refusals: unknown[] = []
  for (const target of newestOfMinors(allowed).flatMap(targetsOf)) {
    try {
      selectPackages(lock, selection, target)
      return
    } catch (error) {
      refusals.push(error)
    }
  }
  throw refusals[0]
}

const minors = [13, 12, 11, 10]
/** No minor version has had as many patches. */
const patches = 40

/** Newest first. */
function possibleVersions(wanted: string | null): string[] {
  const fits = pythonRequirement(wanted)
  const known = minors.flatMap(minor =>
    Array.from({ length: patches }, (_, count) => `3.${minor}.${patches - 1 - count}`),
  )
  return (wanted === null ? known : [wanted, ...known]).filter(version => isExact(version) && fits(version))
}

/** A pre-release may be asked for by name. */
function isExact(version: string): boolean {
  return /^\d+\.\d+\.\d+((a|b|rc)\d+)?$/.test(version)
}

/** Markers that tell patches apart are rare, and locks are large. */
function newestOfMinors(versions: readonly string[]): string[] {
  const minorOf = (version: string) => version.split('.')[1]
  return versions.filter((version, at) => versions.findIndex(one => minorOf(one) === minorOf(version)) === at)
}

function targetsOf(version: string): Target[] {
  return ['x86_64', 'aarch64'].map(machine => ({
    ...{ implementation: 'cpython', version, abi: `cp3${version.split('.')[1]}`, platform: 'linux', machine },
    ...{ libc: { name: 'glibc', version: '2.36' }, interpreter: '/usr/bin/python3', prefix: '/usr' },
  }))
}

function unsupported(wanted: string | null): EnvdError {
  return new EnvdError('PYTHON_UNSUPPORTED', `Python ${wanted} is none that envd prepares for`, {
    details: { wanted },
    hint: `envd supports ${SUPPORTED_PYTHONS_TEXT}; choose one with --python.`,
  })
}

function excluded({ file, requiresPython }: Lock, wanted: string | null): EnvdError {
  const what = wanted === null ? 'none that envd prepares for' : `not ${wanted}`
  return new EnvdError('LOCK_REQUIRES_PYTHON', `${file} requires Python ${requiresPython}, ${what}`, {
    details: { requiresPython, wanted },
    hint: `Choose another with --python; envd supports ${SUPPORTED_PYTHONS_TEXT}.`,
  })
}
