import { formatPlace } from '../error.ts'
import type { Lock, LockedPackage } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import type { Target } from '../target/target.ts'
import { satisfies } from '../version/specifier.ts'
import { reachPackages } from './reach-packages.ts'
import { refuseOtherTarget } from './refuse-target.ts'
import { knownSelection, type Selection } from './selection.ts'

/**
 * The packages that a lock selects for a target, sorted by name; a requirements lock needs no files for it.
 * Throws LOCK_EXTRA_UNKNOWN, LOCK_GROUP_UNKNOWN, LOCK_REQUIRES_PYTHON, LOCK_TARGET_EXCLUDED, LOCK_CONFLICT,
 * LOCK_DUPLICATE, LOCK_LOCAL_FILE, LOCK_MARKER_NEEDS_HOST.
 */
export function selectPackages(lock: Lock, selection: Selection, target: Target): readonly LockedPackage[] {
  refuseOtherTarget(lock, target)
  const reached = reachPackages(lock, knownSelection(lock, selection), target)
  const byName = new Map<string, LockedPackage>()
  for (const position of reached) {
    const locked = lock.packages[position]!
    const other = byName.get(locked.name)
    if (other !== undefined) refuseDuplicate(other, locked)
    refuseOtherPython(locked, target)
    refuseLocalFile(locked)
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

/** A digest may pin it, but another machine doesn't have it. */
function refuseLocalFile({ name, source, place }: LockedPackage): void {
  if (source.kind !== 'local file') return
  refuse('LOCK_LOCAL_FILE', place, `${name} is a file on one machine: ${source.path}`, {
    details: { name, path: source.path },
  })
}
