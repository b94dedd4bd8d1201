import type { Key } from '../../../src/digest.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { placeIn } from '../../disk/place-in.ts'
import { environmentTree } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { requireOwner } from '../../volume/require-owner.ts'
import { lstatWithin } from '../heal/lstat-within.ts'
import { locateContents } from '../locate-contents.ts'
import { contentName } from '../problem.ts'
import type { DamagedContent } from './damage-record.ts'
import { recordDamage } from './record-damage.ts'

/**
 * For blobs that a take-in found damaged and replaced (`PackagesTakenIn.damaged`, 64 hex digits each): environments
 * still have the damaged files. Leaves in each what its next prepare has to heal, and returns their keys. Reads every
 * tree on the volume where there is such a blob. Errors: VOLUME_NOT_OWNER, VOLUME_BUSY, IO.
 */
export function recordReplaced(volume: Volume, sha256s: readonly string[]): Key[] {
  requireOwner(volume)
  const contents = [...new Set(sha256s)].flatMap(sha256 => [
    { sha256, executable: false },
    { sha256, executable: true },
  ])
  const uses = locateContents(volume, contents)
  const found = new Map<Key, { paths: string[]; contents: DamagedContent[] }>()
  for (const content of contents) {
    const { size, places } = uses.get(contentName(content)) ?? { size: 0, places: [] }
    for (const { key, path } of places) {
      const inode = inodeOfOther(volume, key, path, size)
      if (inode === null) continue
      const damage = found.get(key) ?? { paths: [], contents: [] }
      found.set(key, damage)
      damage.paths.push(path)
      damage.contents.push({ ...content, inodes: [inode] })
    }
  }
  for (const [key, damage] of found) recordDamage(volume, key, damage)
  return [...found.keys()].sort()
}

/** Take-in tells a damaged blob by its size. */
function inodeOfOther(volume: Volume, key: Key, path: string, size: number): number | null {
  const tree = environmentTree(volume, key)
  const stats = onMachine(tree, () => lstatWithin(tree, placeIn(tree, path)))
  return stats !== 'nowhere' && stats?.isFile() && stats.size !== size ? stats.ino : null
}
