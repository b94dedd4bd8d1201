import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { hasErrno } from '../../disk/machine-error.ts'

/**
 * What lies at a path of a tree; `nowhere` when the way there doesn't lead through the tree's own folders alone: through
 * a link that somebody put in a folder's place, nothing may be touched. Throws system errors.
 */
export function lstatWithin(tree: string, place: string | Buffer): Stats | undefined | 'nowhere' {
  const bytes = Buffer.from(place)
  const folder = bytes.subarray(0, bytes.lastIndexOf('/'))
  try {
    const beneath = folder.subarray(Buffer.byteLength(tree))
    const real = Buffer.concat([realpathSync.native(tree, 'buffer'), beneath])
    if (!realpathSync.native(folder, 'buffer').equals(real)) return 'nowhere'
    return lstatSync(place, { throwIfNoEntry: false })
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return 'nowhere'
    throw error
  }
}
