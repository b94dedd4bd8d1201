import { closeSync, openSync, readSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'

/** Where the time of an ar(5) archive's first member stands, in a .deb (deb(5)) its `debian-binary`. */
const [offset, length] = [8 + 16, 12]

/**
 * Unix time of the newest of these .debs: no file in them is younger (dpkg-deb sees to that), so that times of a file
 * system may be clamped to it, and it is the same whenever an image is built from them.
 */
export function newestTime(debs: readonly string[]): number {
  return Math.max(...debs.map(timeOf))
}

function timeOf(path: string): number {
  return onMachine(path, () => {
    const bytes = Buffer.alloc(length)
    const fd = openSync(path, 'r')
    try {
      readSync(fd, bytes, 0, length, offset)
    } finally {
      closeSync(fd)
    }
    return Number(bytes.toString('latin1')) || 0
  })
}
