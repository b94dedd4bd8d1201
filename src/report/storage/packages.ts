import type { PackageStorage } from '../../api/report.ts'
import type { Sharing } from './sharing.ts'
import type { StoreFacts } from './store-facts.ts'
import { tasksByKey } from './tasks.ts'

/** Tasks named for each package. */
const mostNamed = 10

/** A row for each package, in the order of the store. */
export function packagesStorage(store: StoreFacts, sharing: Sharing): PackageStorage[] {
  const { blobs, trees, packages } = store
  const users = usersOfTrees(store)
  const unique = new Float64Array(packages.length)
  for (const [blob, owner] of sharing.packageOf.entries()) {
    if (owner >= 0) unique[owner] = unique[owner]! + blobs.disk[blob]!
  }
  return packages.map(({ packageKey, name, version, tree, apparent }, position) => {
    let disk = 0
    for (let at = trees.start[tree] ?? 0; at < (trees.start[tree + 1] ?? 0); at++) {
      disk += blobs.disk[trees.blob[at]!]!
    }
    return {
      ...{ name, version, packageKey },
      environments: sharing.environmentsOfTree[tree] ?? 0,
      tasks: [...(users[tree] ?? [])].sort(),
      bytes: { apparent, disk, unique: unique[position]! },
    }
  })
}

function usersOfTrees(store: StoreFacts): Set<string>[] {
  const tasksOf = tasksByKey(store)
  const users = Array.from({ length: store.trees.start.length - 1 }, () => new Set<string>())
  for (const { key, trees } of store.environments) {
    const tasks = tasksOf.get(key) ?? []
    for (const tree of trees) {
      const known = users[tree]
      if (known === undefined) continue
      for (const { task } of tasks) if (known.size < mostNamed) known.add(task)
    }
  }
  return users
}
