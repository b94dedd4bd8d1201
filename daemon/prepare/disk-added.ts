import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const blockBytes = 512

/**
 * Disk blocks, in bytes, that a build added: every inode under `folders` born at or after `since`
 * (milliseconds since the epoch, on the file system's clock), each counted once however many names it has. An
 * old folder in which nothing was made or replaced since (its mtime is older) may still have changed folders
 * below it; only the contents of uv's archives are skipped unseen, since an archive never changes.
 */
export function diskAdded(folders: readonly string[], since: number): number {
  const seen = new Set<number>()
  const count = (path: string): number => {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (!stat || seen.has(stat.ino)) return 0
    seen.add(stat.ino)
    const isNew = stat.birthtimeMs >= since
    const own = isNew ? stat.blocks * blockBytes : 0
    if (!stat.isDirectory() || (!isNew && isArchive(path))) return own
    return readdirSync(path).reduce((sum, name) => sum + count(join(path, name)), own)
  }
  return folders.reduce((sum, folder) => sum + count(folder), 0)
}

/** `archive-v0/<id>`: an unpacked wheel, written once. */
function isArchive(path: string): boolean {
  return /\/archive-v\d+\/[^/]+$/.test(path)
}
