import type { TaskStorage } from '../../api/report.ts'
import type { Key } from '../../digest.ts'
import { bytesAlone, sizeTrees, type TreeSizes } from './comparison.ts'
import type { Sharing } from './sharing.ts'
import { ARTIFACT, type EnvironmentFacts, PYTHON, type StoreFacts } from './store-facts.ts'

/** Others of which it is said how much they share with a task. */
const mostNamed = 5

/**
 * A row for each task that has an environment, by name, and for each environment that no task has. `compared`: the tasks
 * of which to say with whom they share; each takes a look at all environments.
 */
export function tasksStorage(
  store: StoreFacts,
  sharing: Sharing,
  compared: (task: string | null) => boolean,
): TaskStorage[] {
  const sizes = sizeTrees(store)
  const unique = uniqueBytes(store, sharing)
  const tasksOf = tasksByKey(store)
  const closest = closestOthers(store, sizes, tasksOf)
  const rows = store.environments.flatMap((environment, position) => {
    const { key, apparent, own, records, copies } = environment
    const tasks = tasksOf.get(key) ?? []
    const [all, here] = [unique.all[position]!, unique.here[position]!]
    const freed = own + records + copies
    const bytes = { apparent, alone: bytesAlone(environment, sizes), unique: all, freed }
    const owners = tasks.length === 0 ? [null] : tasks
    return owners.map(owner => {
      const sameAs = [...new Set(tasks.map(({ task }) => task).filter(task => task !== owner?.task))]
      const isShared = tasks.some(one => one !== owner)
      const task = owner?.task ?? null
      return {
        ...{ task, lockfiles: owner?.lockfiles ?? null, key },
        bytes: { ...bytes, marginal: isShared ? 0 : freed + here },
        sameAs,
        sharedWith: compared(task) ? closest(position) : null,
      }
    })
  })
  return rows.sort((a, b) => order(a.task, b.task) || order(a.lockfiles, b.lockfiles) || order(a.key, b.key))
}

export function tasksByKey({ tasks }: StoreFacts): Map<Key, StoreFacts['tasks'][number][]> {
  const byKey = new Map<Key, StoreFacts['tasks'][number][]>()
  for (const task of tasks) {
    const known = byKey.get(task.key)
    if (known === undefined) byKey.set(task.key, [task])
    else known.push(task)
  }
  return byKey
}

/** Of each environment: contents that no other has, and of these, what no artifact or interpreter has either. */
function uniqueBytes({ blobs, environments }: StoreFacts, { environmentOf }: Sharing) {
  const all = new Float64Array(environments.length)
  const here = new Float64Array(environments.length)
  for (const [blob, owner] of environmentOf.entries()) {
    if (owner < 0) continue
    all[owner] = all[owner]! + blobs.disk[blob]!
    if ((blobs.elsewhere[blob]! & (ARTIFACT | PYTHON)) === 0) here[owner] = here[owner]! + blobs.disk[blob]!
  }
  return { all, here }
}

function closestOthers(
  { environments }: StoreFacts,
  sizes: TreeSizes,
  tasksOf: ReturnType<typeof tasksByKey>,
): (position: number) => { task: string; bytes: number }[] {
  const nameOf = ({ key }: EnvironmentFacts) => tasksOf.get(key)?.[0]?.task ?? key
  return position => {
    const ours = new Set(environments[position]!.trees)
    return environments
      .flatMap((other, at) => {
        if (at === position) return []
        let bytes = 0
        for (const tree of other.trees) if (ours.has(tree)) bytes += sizes.all[tree] ?? 0
        return bytes === 0 ? [] : [{ task: nameOf(other), bytes }]
      })
      .sort((a, b) => b.bytes - a.bytes || order(a.task, b.task))
      .slice(0, mostNamed)
  }
}

/** Null comes last. */
function order(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? 1 : -1
  return a < b ? -1 : 1
}
