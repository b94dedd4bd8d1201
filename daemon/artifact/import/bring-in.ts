import { constants, copyFileSync, linkSync, lstatSync } from 'node:fs'
import { hasErrno, onMachine } from '../../../cache/disk/machine-error.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'

export type ImportWay = 'link' | 'copy'

/**
 * How files of a folder get into the store: linked where they lie on the volume's file system, and belong to its owner,
 * since whoever owns an inode may write it. Copied otherwise.
 */
export function wayOf(volume: Volume, place: string): ImportWay {
  const file = onMachine(place, () => lstatSync(place))
  const there = onMachine(volume.root, () => lstatSync(volume.root))
  return file.dev === there.dev && file.uid === volume.owner ? 'link' : 'copy'
}

/** One file; what can't be linked after all (two mounts of one file system, all the links it may have) is copied. */
export function bringIn(from: string | Buffer, to: string | Buffer, way: ImportWay): ImportWay {
  if (way === 'link') {
    try {
      linkSync(from, to)
      return 'link'
    } catch (error) {
      if (!hasErrno(error, 'EXDEV', 'EMLINK', 'EPERM')) throw error
    }
  }
  onMachine(from.toString(), () =>
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE),
  )
  return 'copy'
}
