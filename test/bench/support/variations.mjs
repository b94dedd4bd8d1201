import { join } from 'node:path'
import { writeTask } from './task-folder.mjs'

/**
 * Tasks whose packages are those of the big task but for a few of the smallest, other ones each time: once the big task
 * is ready, their keys are new and all their packages known.
 */
export function openVariations(bench, { taskFile, locked, served }) {
  const lockfiles = bench.path('variations')
  const size = ({ digests }) => served.find(({ digest }) => digests.includes(digest)).size
  const smallest = [...locked].sort((a, b) => size(a) - size(b))
  let count = 0
  return {
    lockfiles,
    /** Writes the next one and gives its name; its number in binary says what is left out. */
    next() {
      count += 1
      const name = `variation-${count}`
      const leftOut = smallest.filter((_, at) => at < 31 && (count >> at) & 1)
      writeTask(join(lockfiles, name), { taskFile, locked: locked.filter(one => !leftOut.includes(one)) })
      return name
    },
  }
}
