import { randomUUID } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno } from '../disk/machine-error.ts'
import { type At, FOLDERS, LATER_FOLDERS, stagingRoot } from '../volume/layout.ts'

/**
 * Folders of the volume that lie under another mount point than staging/, where nothing can be published or linked.
 * Touches nothing, and any user may ask: of two mount points rename(2) says so (EXDEV) before it looks for the file,
 * which isn't there.
 */
export function foldersApart(volume: At): string[] {
  const absent = `.probe-${randomUUID()}`
  const from = join(stagingRoot(volume), absent)
  return [...FOLDERS, ...LATER_FOLDERS].filter(name => {
    const folder = join(volume.root, name)
    if (name === 'staging' || !existsSync(folder)) return false
    try {
      renameSync(from, join(folder, absent))
      return false
    } catch (error) {
      return hasErrno(error, 'EXDEV')
    }
  })
}
