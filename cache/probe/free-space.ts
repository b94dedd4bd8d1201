import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { machineError } from '../disk/machine-error.ts'

export interface FreeSpace {
  /** Those a user may still write (statfs(2) bavail). */
  readonly bytes: { readonly free: number; readonly total: number }
  /** Null: the file system makes inodes as it needs them. */
  readonly inodes: { readonly free: number; readonly total: number } | null
}

/** Of the file system that a path lies on, or would. Errors: IO. */
export function freeSpace(path: string): FreeSpace {
  for (let place = path; ; place = dirname(place)) {
    try {
      const { bavail, blocks, bsize, ffree, files } = statfsSync(place)
      return {
        bytes: { free: bavail * bsize, total: blocks * bsize },
        inodes: files === 0 ? null : { free: ffree, total: files },
      }
    } catch (error) {
      if (place === dirname(place)) throw machineError(error, path)
    }
  }
}
