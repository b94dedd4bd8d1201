import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { EnvdError } from '../../src/error.ts'
import { onMachine } from '../disk/machine-error.ts'
import { waitForLockSync } from '../lock/ofd-lock.ts'
import { fenceFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { readLeases } from './live-leases.ts'

const limitMs = 10_000
const digits = 20

/**
 * The next fence number: one more than the last given on this volume, by whatever process and user, also after
 * a crash, and whatever the clock says. The counter is one write of 21 bytes in place, on disk before the number
 * is used; where it can't be read, counting goes on from the highest number among the leases.
 */
export function nextFence(volume: Volume): number {
  const path = fenceFile(volume)
  const lock = waitForLockSync(path, limitMs)
  if (lock === null) {
    throw new EnvdError('VOLUME_BUSY', `Another process has held ${path} for ${limitMs / 1000} s`, {
      details: { path },
    })
  }
  try {
    return onMachine(path, () => {
      const fence = (readFence(path) ?? highestFence(volume)) + 1
      const fd = openSync(path, 'r+')
      try {
        writeSync(fd, `${String(fence).padStart(digits, '0')}\n`, 0)
        fdatasyncSync(fd)
      } finally {
        closeSync(fd)
      }
      return fence
    })
  } finally {
    lock.release()
  }
}

function readFence(path: string): number | null {
  const text = readFileSync(path, 'latin1')
  const value = Number(text.slice(0, digits))
  return /^[0-9]{20}\n/.test(text) && Number.isSafeInteger(value + 1) ? value : null
}

function highestFence(volume: Volume): number {
  const { live, dead } = readLeases(volume)
  return [...live, ...dead].reduce((highest, { fence }) => Math.max(highest, fence), 0)
}
