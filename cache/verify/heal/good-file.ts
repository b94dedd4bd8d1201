import { createHash } from 'node:crypto'
import { closeSync, constants, fchmodSync, fstatSync, futimesSync, openSync, readSync } from 'node:fs'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { blobPath } from '../../blob/blob-path.ts'
import { hasErrno } from '../../disk/machine-error.ts'
import type { Volume } from '../../volume/open-volume.ts'
import type { Content } from '../problem.ts'

export function isGoodBlob(volume: Volume, content: Content): boolean {
  return isGoodFile(blobPath(volume, content.sha256, content.executable), content)
}

/**
 * Whether a file of the store holds this content. Where it does, its mode and time are made right again; where it does
 * not, they stay, as signs of what happened. Throws system errors.
 */
export function isGoodFile(place: string | Buffer, content: Content): boolean {
  let fd: number
  try {
    fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ELOOP', 'ENXIO', 'EACCES')) return false
    throw error
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile() || digestOf(fd) !== content.sha256) return false
    const mode = content.executable ? 0o555 : 0o444
    if ((stats.mode & 0o7777) !== mode) fchmodSync(fd, mode)
    if (stats.mtimeMs !== STORE_MTIME * 1000) futimesSync(fd, STORE_MTIME, STORE_MTIME)
    return true
  } finally {
    closeSync(fd)
  }
}

/** Null for what the disk can't read. */
function digestOf(fd: number): string | null {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(1 << 20)
  try {
    for (let read = readSync(fd, buffer); read > 0; read = readSync(fd, buffer)) {
      digest.update(buffer.subarray(0, read))
    }
    return digest.digest('hex')
  } catch (error) {
    if (hasErrno(error, 'EIO')) return null
    throw error
  }
}
