import { EnvdError, formatPlace } from '../error.ts'
import type { Lock, LockedPackage } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import { supportedTags } from '../tag/supported-tags.ts'
import type { Target } from '../target/target.ts'
import { satisfies } from '../version/specifier.ts'
import type { Closure, Distribution, LeftOut } from './closure.ts'
import { distributionOf } from './distribution.ts'
import { reachPackages } from './reach-packages.ts'
import { refuseOtherTarget } from './refuse-target.ts'
import { knownSelection, type Selection } from './selection.ts'

/**
 * The exact distributions that a lock selects for a target. Throws LOCK_* errors and NO_FILE_FITS. A
 * requirements lock must have its files (`withFiles`).
 */
export function selectClosure(lock: Lock, selection: Selection, target: Target): Closure {
  if (lock.needsFiles) throw new EnvdError('BUG', `the file names of ${lock.file} are not known yet`)
  refuseOtherTarget(lock, target)
  const reached = reachPackages(lock, knownSelection(lock, selection), target)
  const packages = eachOnce([...reached].map(position => lock.packages[position]!))

  const tags = supportedTags(target)
  const distributions: Distribution[] = []
  const leftOut: LeftOut[] = []
  for (const locked of packages) {
    refuseOtherPython(locked, target)
    const distribution = distributionOf(locked, target, tags)
    if (distribution !== null) distributions.push(distribution)
    const { name, source } = locked
    if (source.kind === 'member') leftOut.push({ name, kind: source.member, path: source.path })
  }
  return { distributions, leftOut }
}

/** Sorted by name. Throws LOCK_DUPLICATE. */
function eachOnce(packages: readonly LockedPackage[]): readonly LockedPackage[] {
  const byName = new Map<string, LockedPackage>()
  for (const locked of packages) {
    const other = byName.get(locked.name)
    if (other !== undefined) refuseDuplicate(other, locked)
    byName.set(locked.name, locked)
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

function refuseDuplicate(a: LockedPackage, b: LockedPackage): never {
  const [first, second] = (a.place.line ?? 0) <= (b.place.line ?? 0) ? [a, b] : [b, a]
  const also = `also ${second.version ?? 'locked'} at ${formatPlace(second.place)}`
  return refuse(
    'LOCK_DUPLICATE',
    first.place,
    `${first.name} is locked twice for this target: ${first.version ?? ''}, ${also}`,
    {
      details: {
        name: first.name,
        places: [first.place, second.place],
        versions: [first.version, second.version],
      },
    },
  )
}

function refuseOtherPython({ name, requiresPython, place }: LockedPackage, target: Target): void {
  if (requiresPython === null || satisfies(target.version, requiresPython)) return
  refuse(
    'LOCK_REQUIRES_PYTHON',
    place,
    `${name} requires Python ${requiresPython}, and this is ${target.version}`,
    {
      details: { name, requiresPython, python: target.version },
    },
  )
}
