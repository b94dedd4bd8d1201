import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { environmentFolder, SUMMARY } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/** The last use is kept this exactly, so that a hit rarely writes. */
const hourMs = 3_600_000

/**
 * Keeps the last use of an environment on the volume: the mtime of its summary, which is there as long as the
 * environment is, and is set when it is published. Set at most once an hour, by the volume's owner, whose files
 * these are; on a volume that is mounted read-only nothing is kept, and nothing can be removed.
 */
export function noteUse(volume: Volume, key: Key): void {
  if (!volume.owned) return
  const file = join(environmentFolder(volume, key), SUMMARY)
  try {
    const now = Date.now()
    // A time in the future is wrong, too: the clock was set back.
    if (Math.abs(now - statSync(file).mtimeMs) > hourMs) utimesSync(file, now / 1000, now / 1000)
  } catch (error) {
    if (!hasErrno(error, 'ENOENT', 'EROFS')) throw machineError(error, file)
  }
}
