import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, lstatSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { hasErrno, onMachine } from '../../disk/machine-error.ts'
import { quarantineFolder } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'

/** Moves whatever lies there into quarantine/. What isn't there is no error. */
export function setAside(volume: Volume, place: string | Buffer): void {
  onMachine(place.toString(), () => {
    try {
      // A folder that changes its parent must be writable itself (rename(2)).
      if (lstatSync(place).isDirectory()) chmodSync(place, 0o755)
      renameSync(place, quarantinePlace(volume, place))
    } catch (error) {
      if (!hasErrno(error, 'ENOENT')) throw error
    }
  })
}

/**
 * Gives a blob one more name in quarantine/, so that another file can take its place by rename. False where the place
 * is empty now: nothing was there, or it could not be linked and was moved.
 */
export function keepInQuarantine(volume: Volume, blob: string): boolean {
  if (!lstatSync(blob, { throwIfNoEntry: false })?.isFile()) setAside(volume, blob)
  else {
    try {
      linkSync(blob, quarantinePlace(volume, blob))
      return true
    } catch (error) {
      if (!hasErrno(error, 'EMLINK', 'EPERM')) throw error
      setAside(volume, blob)
    }
  }
  return false
}

function quarantinePlace(volume: Volume, place: string | Buffer): string {
  const name = basename(place.toString('latin1'))
    .replace(/[^\w.-]/g, '_')
    .slice(0, 100)
  return join(quarantineFolder(volume), `${name}.${randomUUID()}`)
}
