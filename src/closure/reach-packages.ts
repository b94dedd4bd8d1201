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
  if (lock.conflicts.length > 0) activate(lock, selection, target, active)
  const environment = markerEnvironment(target, active)
  return walk(lock, selection, ({ marker }) => marker === null || evaluateMarker(marker, environment))
}

/** Adds the extras that dependencies activate; an edge's own marker sees those that the edge asks for. */
function activate(lock: Lock, selection: Selection, target: Target, active: ActiveParts): void {
  let environment = markerEnvironment(target, active)
  walk(lock, selection, edge => {
    const added = active.newOf(edge)
    const wider =
      added.length === 0
        ? environment
        : markerEnvironment(target, { extras: new Set([...active.extras, ...added]), groups: active.groups })
    if (edge.marker !== null && !evaluateMarker(edge.marker, wider)) return false
    active.add(added)
    environment = wider
    return true
  })
  active.refuseConflicts()
}

/**
 * Breadth first, each package once for itself and once for each extra; the chosen extras come before any
 * dependency, whose marker may ask for them.
 */
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
