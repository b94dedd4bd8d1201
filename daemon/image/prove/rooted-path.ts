import { lstatSync, mkdirSync, readlinkSync, rmSync, type Stats } from 'node:fs'

const maxLinks = 40

/**
 * Where a path of an image lies on this host, symlinks followed as if `root` were `/`: never outside of it. Only for
 * trees that nobody else writes. Null where it isn't there; `ELOOP` counts as such.
 */
export function rootedPath(root: string, path: string): string | null {
  return walk(root, path, { makeFolders: false })
}

/** The same for a folder that is made, with its parents, where it or something else than a folder is. */
export function rootedFolder(root: string, path: string): string | null {
  return walk(root, path, { makeFolders: true })
}

/** The path inside, as the image sees it. */
export function pathInside(root: string, place: string): string {
  return place.slice(root.length) || '/'
}

function walk(root: string, path: string, { makeFolders }: { makeFolders: boolean }): string | null {
  const parts = partsOf(path)
  let place = root
  for (let links = 0; parts.length > 0; ) {
    const part = parts.pop()!
    if (part === '..') {
      if (place !== root) place = place.slice(0, place.lastIndexOf('/'))
      continue
    }
    const next = `${place}/${part}`
    const stats = lstatSync(next, { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) {
      if (++links > maxLinks) return null
      const target = readlinkSync(next)
      if (target.startsWith('/')) place = root
      parts.push(...partsOf(target))
      continue
    }
    if (makeFolders) makeFolder(next, stats)
    else if (stats === undefined) return null
    place = next
  }
  return place
}

/** Last part first. */
function partsOf(path: string): string[] {
  return path
    .split('/')
    .filter(part => part !== '' && part !== '.')
    .reverse()
}

function makeFolder(path: string, stats: Stats | undefined): void {
  if (stats?.isDirectory()) return
  if (stats !== undefined) rmSync(path)
  mkdirSync(path, 0o755)
}
