/** As many as the kernel follows (path_resolution(7)). */
const mostLinks = 40

/**
 * Whether a link leads out of the tree, as the kernel would follow it: through the other links, since `..` behind one of
 * them leads to the parent of where that one leads. Paths that lead nowhere, or round and round, stay inside.
 */
export function leavesTree(
  path: string,
  target: string,
  links: ReadonlyMap<string, { readonly target: string }>,
): boolean {
  const open = target.split('/').reverse()
  if (target.startsWith('/')) return true
  const here = path.split('/').slice(0, -1)
  let followed = 0
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (here.pop() === undefined) return true
      continue
    }
    here.push(part)
    const link = links.get(here.join('/'))
    if (link === undefined) continue
    if (++followed > mostLinks) return false
    if (link.target.startsWith('/')) return true
    here.pop()
    open.push(...link.target.split('/').reverse())
  }
  return false
}
