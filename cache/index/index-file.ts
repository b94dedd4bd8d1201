import { join } from 'node:path'

/**
 * Where the index of a volume lies: one file for each volume id, and none that two hosts share. Beside it
 * `.sqlite-wal` and `.sqlite-shm`, which are SQLite's, and two lock files: `.sqlite.lock` is held while the file is
 * made or removed, `.sqlite.filling` while one process brings it up to date.
 */
export function indexFile(cacheHome: string, volumeId: string): string {
  return join(cacheHome, 'envd', 'index', `${volumeId}.sqlite`)
}

export const makingLock = (file: string): string => `${file}.lock`
export const fillingLock = (file: string): string => `${file}.filling`
