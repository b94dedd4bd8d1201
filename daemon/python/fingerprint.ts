import { type BigIntStats, realpathSync, statSync } from 'node:fs'
import { hasErrno } from '../../cache/disk/machine-error.ts'

/** What lies at the end of the path; undefined also where this user can't get there. */
export function statsOf(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (hasErrno(error, 'EACCES', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG')) return undefined
    throw error
  }
}

/** Symlinks resolved; the path itself where it can't be followed. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}

/** Another one as soon as the file is replaced, written to or touched. */
export function fingerprintOf(path: string): string | undefined {
  const stats = statsOf(path)
  return stats && [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ')
}
