import { removeVolume as remove } from '../../cache/volume/maintenance/remove-volume.ts'
import { openVolume } from '../../cache/volume/open-volume.ts'
import type { VolumeRemoval } from '../../src/api/operations.ts'

export { upgradeVolume } from '../../cache/volume/maintenance/upgrade-volume.ts'
export { volumeInfo } from '../../cache/volume/volume-info.ts'

/** Never makes the volume it removes. */
export function removeVolume(root: string, options: { readonly force: boolean }): Promise<VolumeRemoval> {
  return remove(openVolume(root, { create: false, evenRemoving: true }), options)
}
