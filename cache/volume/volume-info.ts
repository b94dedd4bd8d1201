import { statfsSync } from 'node:fs'
import type { VolumeInfo } from '../../src/api/operations.ts'
import { isKey } from '../../src/digest.ts'
import { onMachine } from '../disk/machine-error.ts'
import { namesIn } from '../disk/names-in.ts'
import { environmentsFolder } from './layout.ts'
import type { Volume } from './open-volume.ts'

/** Where, whose and how full: free bytes are those a user may write (statfs(2) bavail). */
export function volumeInfo(volume: Volume): VolumeInfo {
  const { root, id, layout, owner } = volume
  return onMachine(root, () => {
    const { bavail, blocks, bsize } = statfsSync(root)
    return {
      path: root,
      id,
      layout,
      owner,
      bytes: { free: bavail * bsize, total: blocks * bsize },
      environments: namesIn(environmentsFolder(volume)).filter(isKey).length,
    }
  })
}
