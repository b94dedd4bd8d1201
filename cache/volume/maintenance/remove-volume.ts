import { rmdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { VolumeRemoval } from '../../../src/api/operations.ts'
import { diskUse } from '../../disk/disk-use.ts'
import { syncFolder, writeDurable } from '../../disk/durable.ts'
import { hasErrno, onMachine } from '../../disk/machine-error.ts'
import { namesIn } from '../../disk/names-in.ts'
import { removeFolder } from '../../disk/remove-folder.ts'
import { faultPoint } from '../fault-point.ts'
import { CLAIM_PREFIX, FOLDERS, LATER_FOLDERS, versionFile } from '../layout.ts'
import type { Volume } from '../open-volume.ts'
import { requireOwner } from '../require-owner.ts'
import { formatVersion } from '../version-file.ts'
import { volumeInfo } from '../volume-info.ts'
import { requireIdle } from './require-idle.ts'

/**
 * Says what removing the volume would free (environments, bytes of disk blocks), and removes it with `force`.
 * Only what a volume has is removed; the folder goes too when nothing else is in it.
 *
 * VERSION is marked first: nobody opens the volume from then on, and a lease taken meanwhile sees the mark
 * (takeLease), or is seen by the second look at the leases. VERSION goes last, so that a removal that was cut off
 * can be finished (`openVolume` with `evenRemoving`).
 *
 * Errors: VOLUME_BUSY while a lease lives or a lock is held, VOLUME_NOT_OWNER.
 */
export async function removeVolume(volume: Volume, options: { force: boolean }): Promise<VolumeRemoval> {
  const { root, id, layout } = volume
  requireOwner(volume)
  requireIdle(volume)
  const contents = contentsOf(root)
  const environments = volumeInfo(volume).environments
  const bytes = await diskUse(...contents.map(name => join(root, name)))
  if (!options.force) return { path: root, removed: false, environments, bytes }

  const version = { layout, id }
  writeDurable(versionFile(volume), formatVersion({ ...version, removing: true }), { mode: 0o644 })
  faultPoint('remove-volume:after-mark')
  try {
    requireIdle(volume)
  } catch (error) {
    writeDurable(versionFile(volume), formatVersion(version), { mode: 0o644 })
    throw error
  }
  for (const name of contents.filter(name => name !== 'VERSION')) await removeFolder(join(root, name))
  faultPoint('remove-volume:before-version')
  await removeFolder(versionFile(volume))
  onMachine(root, () => removeRoot(root))
  return { path: root, removed: true, environments, bytes }
}

function contentsOf(root: string): string[] {
  const own: ReadonlySet<string> = new Set(['VERSION', ...FOLDERS, ...LATER_FOLDERS])
  return namesIn(root).filter(name => own.has(name) || isOurTemporary(name))
}

/** A claim of a creation, or a VERSION that was being rewritten (writeDurable). */
function isOurTemporary(name: string): boolean {
  return name.startsWith(CLAIM_PREFIX) || name.startsWith('.VERSION.')
}

/**
 * The folder stays where it is a mount point, holds what isn't ours, or its parent can't be written; also where
 * the path is a symbolic link, which then still leads to a place for a new volume.
 */
function removeRoot(root: string): void {
  try {
    rmdirSync(root)
    syncFolder(dirname(root))
  } catch (error) {
    if (!hasErrno(error, 'ENOTDIR', 'ENOTEMPTY', 'EEXIST', 'EBUSY', 'EACCES', 'EPERM')) throw error
  }
}
