import { closeSync, openSync, writeSync } from 'node:fs'
import type { Key } from '../../src/digest.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { hitsFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/**
 * Counts that an environment was there when it was asked for: 12 bytes at the end of the month's file, the time in
 * seconds since 1970 (32 bits, big-endian) and the first 8 bytes of the key. By the volume's owner alone, whose files
 * these are; not where the disk is full or read-only, since a hit needs no space.
 */
export function noteHit(volume: Volume, key: Key): void {
  if (!volume.owned) return
  const now = new Date()
  const record = Buffer.alloc(12)
  record.writeUInt32BE(Math.floor(now.getTime() / 1000) >>> 0)
  record.write(key.slice(0, 16), 4, 'hex')
  const file = hitsFile(volume, now.toISOString().slice(0, 7))
  try {
    const fd = openSync(file, 'a', 0o644)
    try {
      writeSync(fd, record)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (!hasErrno(error, 'ENOENT', 'EROFS', 'ENOSPC', 'EDQUOT')) throw machineError(error, file)
  }
}
