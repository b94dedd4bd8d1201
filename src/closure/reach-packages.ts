import { EnvdError, formatPlace, type Place } from '../error.ts'
import type { Edge, Lock, LockedPackage } from '../lock/lock.ts'
import { evaluateMarker, markerEnvironment } from '../marker/evaluate-marker.ts'
import type { Target } from '../target/target.ts'
import { ActiveParts } from './active-parts.ts'
import type { Selection } from './selection.ts'

/**
 * Positions of the packages that the selection reaches on the target. Throws LOCK_CONFLICT.
 *
 * Where a lock declares conflicts, the graph is walked twice, as uv does: markers ask which extras are active,
 * and those that dependencies activate are known only after a walk.
 */
export function reachPackages(lock: Lock, selection: Selection, target: Target): ReadonlySet<number> {
  const active = new ActiveParts(lock, selection)
  if (lock.conflicts.length > 0) {
    walk(lock, selection, edge => {
      const environment = markerEnvironment(target, {
        extras: new Set([...active.extras, ...active.of(edge)]),
        groups: active.groups,
      })
      if (edge.marker !== null && !evaluateMarker(edge.marker, environment)) return false
      active.add(edge)
      return true
    })
    active.refuseConflicts()
  }
  const environment = markerEnvironment(target, active)
  return walk(lock, selection, ({ marker }) => marker === null || evaluateMarker(marker, environment))
}

/** Breadth first: each package once for itself and once for each extra. */
function walk(lock: Lock, selection: Selection, holds: (edge: Edge) => boolean): ReadonlySet<number> {
  const reached = new Set<number>()
  const seen = new Set<string>()
  const queue: { readonly edges: readonly Edge[]; readonly owner: LockedPackage | null }[] = [
    { edges: lock.roots, owner: null },
    ...selection.extras.map(extra => ({ edges: lock.extras.get(extra)!, owner: null })),
    ...selection.groups.map(group => ({ edges: lock.groups.get(group)!, owner: null })),
  ]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const edge of next.edges) {
      const locked = lock.packages[edge.to]!
      const owner = next.owner ?? locked
      if (!placed(() => holds(edge), owner)) continue
      reached.add(edge.to)
      for (const extra of [null, ...edge.extras]) {
        const visit = `${edge.to} ${extra ?? ''}`
        if (seen.has(visit)) continue
        seen.add(visit)
        const edges = extra === null ? locked.dependencies : (locked.extras.get(extra) ?? [])
        queue.push({ edges, owner: locked })
      }
    }
  }
  return reached
}

/** A marker knows no place: an error gets the one of the package that the marker stands in. */
function placed(holds: () => boolean, owner: { readonly place: Place }): boolean {
  try {
    return holds()
  } catch (error) {
    if (!(error instanceof EnvdError)) throw error
    const { place } = owner
    throw new EnvdError(error.code, `${formatPlace(place)}: ${error.message}`, {
      hint: error.hint,
      details: { ...place, ...error.details },
    })
  }
}
