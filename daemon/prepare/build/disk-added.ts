import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../../cache/disk/names-in.ts'

/**
 * Counts the disk blocks, in bytes, of what was made since `since` (milliseconds since the epoch, on the file
 * system's clock): every inode born then, once however many names it has.
 */
export interface DiskCount {
  /** A file, or a folder with all it holds. What lies in a finished archive of uv's cache never changes. */
  everything(path: string): void
  /** Of all files below a folder, those that have another name elsewhere too and so outlive it. */
  sharedFiles(folder: string): void
  /** A folder and the folders in it. */
  folders(folder: string): void
  bytes(): number
}

const blockBytes = 512

export function startDiskCount(since: number): DiskCount {
  const seen = new Set<number>()
  let bytes = 0
  const add = (path: string) => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (!stats || seen.has(stats.ino)) return null
    seen.add(stats.ino)
    const isNew = stats.birthtimeMs >= since
    if (isNew) bytes += stats.blocks * blockBytes
    return { isNew, isFolder: stats.isDirectory() }
  }
  const count: DiskCount = {
    everything(path) {
      const added = add(path)
      if (!added?.isFolder || (!added.isNew && isArchive(path))) return
      for (const name of namesIn(path)) count.everything(join(path, name))
    },
    sharedFiles(folder) {
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) count.sharedFiles(path)
        else if (lstatSync(path).nlink > 1) add(path)
      }
    },
    folders(folder) {
      add(folder)
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) add(join(folder, entry.name))
      }
    },
    bytes: () => bytes,
  }
  return count
}

/** `archive-v0/<id>`: an unpacked wheel, written once. */
function isArchive(path: string): boolean {
  return /\/archive-v\d+\/[^/]+$/.test(path)
}
