import { openVolume } from '../../cache/volume/open-volume.ts'
import { removeVolume as remove } from '../../cache/volume/remove-volume.ts'
import type { VolumeRemoval } from '../../src/api/operations.ts'

export { upgradeVolume } from '../../cache/volume/upgrade-volume.ts'
export { volumeInfo } from '../../cache/volume/volume-info.ts'

/** Never makes the volume it removes. */
export function removeVolume(root: string, options: { readonly force: boolean }): Promise<VolumeRemoval> {
  return remove(openVolume(root, { create: false, evenRemoving: true }), options)
}
