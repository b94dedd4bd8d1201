import type { ConflictItem, Edge, Lock } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import type { Selection } from './selection.ts'

/**
 * The extras and groups that are active, under the names that markers ask for them. uv writes its conflict
 * markers as `extra == 'extra-<length of the package's name>-<package>-<extra>'`, `group-…` and `project-…`.
 */
export class ActiveParts {
  readonly extras: Set<string>
  readonly groups: ReadonlySet<string>
  readonly #lock: Lock

  constructor(lock: Lock, selection: Selection) {
    this.#lock = lock
    this.extras = new Set(selection.extras)
    this.groups = new Set([...selection.groups, ...lock.defaultGroups])
    for (const { to } of lock.roots) {
      const { name } = lock.packages[to]!
      this.extras.add(encoded({ package: name, extra: null, group: null }))
      for (const group of selection.groups) this.extras.add(encoded({ package: name, extra: null, group }))
    }
  }

  /** The extras that an edge asks for and that are not active yet. */
  newOf({ to, extras }: Edge): readonly string[] {
    const { name } = this.#lock.packages[to]!
    const names = extras.map(extra => encoded({ package: name, extra, group: null }))
    return names.filter(encodedName => !this.extras.has(encodedName))
  }

  add(names: readonly string[]): void {
    for (const name of names) this.extras.add(name)
  }

  /** Throws LOCK_CONFLICT when two of a set that the lock declares as conflicting are active. */
  refuseConflicts(): void {
    for (const set of this.#lock.conflicts) {
      const active = set.filter(item => this.extras.has(encoded(item)))
      if (active.length < 2) continue
      const words = active.map(inWords)
      refuse('LOCK_CONFLICT', this.#lock.locate('conflicts'), `${words.join(' and ')} conflict`, {
        details: { conflict: active },
      })
    }
  }
}

function encoded({ package: name, extra, group }: ConflictItem): string {
  if (extra !== null) return `extra-${name.length}-${name}-${extra}`
  return group === null ? `project-${name.length}-${name}` : `group-${name.length}-${name}-${group}`
}

function inWords({ package: name, extra, group }: ConflictItem): string {
  if (extra !== null) return `${name}[${extra}]`
  return group === null ? name : `the group ${group} of ${name}`
}
