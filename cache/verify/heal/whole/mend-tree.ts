import { lstatSync, type Stats } from 'node:fs'
import { placeOfLatin1 } from '../../../disk/place-in.ts'
import type { Volume } from '../../../volume/open-volume.ts'
import { expectedTree } from '../../check/expected-tree.ts'
import { escapedPath } from '../../check/tree-text.ts'
import { restorePaths } from '../restore-paths.ts'

/**
 * Makes an interpreter's or artifact's tree that is there like `good`, the same tree made of good blobs just now: each
 * file that is another one, or missing, becomes a link to the blob, in its place, since containers may have it mounted.
 * Foreign files and modes are left to verification. Errors: DISK_FULL, IO.
 */
export function mendTree(
  volume: Volume,
  { tree, digest, good }: { readonly tree: string; readonly digest: string; readonly good: string },
  staging: string,
): void {
  const expected = expectedTree(volume, { trees: [digest], skeleton: [] }, () => true)
  const paths = [...expected].flatMap(([folder, entries]) =>
    [...entries.keys()]
      .map(name => (folder === '' ? name : `${folder}/${name}`))
      .filter(path => !isSame(statsAt(tree, path), statsAt(good, path)!)),
  )
  if (paths.length === 0) return
  restorePaths(volume, tree, expected, paths.map(escapedPath), { staging, isGood: () => true })
}

function statsAt(tree: string, raw: string): Stats | undefined {
  const place = placeOfLatin1(`${Buffer.from(tree).toString('latin1')}/${raw}`)
  try {
    return lstatSync(place, { throwIfNoEntry: false })
  } catch {
    return undefined // a part of the path is no folder any more
  }
}

function isSame(there: Stats | undefined, good: Stats): boolean {
  if (there === undefined) return false
  return good.isFile() ? there.ino === good.ino : there.isDirectory() === good.isDirectory()
}
