/** A file that several packages of one folder list: only one of them can have written what lies there. */
export interface SharedPath {
  /** Escaped. */
  readonly path: string
  /** Names, sorted. */
  readonly owners: readonly string[]
}

/** Sorted by path. */
export function sharedPaths(
  installed: readonly { readonly name: string; readonly root: string; readonly paths: readonly string[] }[],
): SharedPath[] {
  const first = new Map<string, string>()
  const shared = new Map<string, SharedPath & { owners: string[] }>()
  for (const { name, root, paths } of installed) {
    for (const path of paths) {
      const place = `${root}/${path}`
      const owner = first.get(place)
      if (owner === undefined) first.set(place, name)
      else if (!shared.has(place)) shared.set(place, { path, owners: [owner, name] })
      else shared.get(place)!.owners.push(name)
    }
  }
  return [...shared.values()]
    .map(({ path, owners }) => ({ path, owners: [...new Set(owners)].sort() }))
    .filter(({ owners }) => owners.length > 1)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
