import { join } from 'node:path'
import { isLocked, tryLock } from '../lock/ofd-lock.ts'

/**
 * What is wrong with locks on files of the folder, or null: that one excludes who comes later, shared or not, and ends
 * when it is released.
 */
export function probeLocks(folder: string): string | null {
  const path = join(folder, 'probe.lock')
  const first = tryLock(path)
  if (first === null) return 'a new file is locked already'
  try {
    const second = tryLock(path)
    second?.release()
    if (second !== null || !isLocked(path)) return 'two hold one lock at once'
  } finally {
    first.release()
  }
  return isLocked(path) ? 'a lock that was released is held on' : null
}
