import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Target } from '../../../src/target/target.ts'
import { pythonRequirement } from '../../../src/task/python-request.ts'
import { realPath } from '../fingerprint.ts'
import { consider, mayFit } from './find-interpreter.ts'
import { type Candidate, installedPythons } from './installed-pythons.ts'
import { isKnownToRefuse } from './known-refusals.ts'

/**
 * An interpreter of this host that has exactly this version and ABI; null where there is none. `explicit` is tried
 * first, and others where it is another one.
 */
export function findExactInterpreter(
  volume: Volume,
  { version, abi }: Pick<Target, 'version' | 'abi'>,
  explicit: string | null,
  environment: NodeJS.ProcessEnv,
): Target | null {
  const fits = pythonRequirement(version)
  const minor = version.split('.').slice(0, 2).join('.')
  const named: Candidate[] =
    explicit === null ? [] : [{ path: realPath(explicit), version: null, minor: null }]
  const there = [...named, ...installedPythons(environment)].filter(one => mayFit(one, minor, fits))
  const doubted = new Set(there.filter(({ path }) => isKnownToRefuse(volume, path)))
  for (const candidate of [...there.filter(one => !doubted.has(one)), ...doubted]) {
    const found = consider(volume, candidate, fits, []).find(target => target.abi === abi)
    if (found !== undefined) return found
  }
  return null
}
