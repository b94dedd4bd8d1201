import { readdirSync } from 'node:fs'
import { hasErrno, machineError } from './machine-error.ts'

/** The names in a folder, sorted; none where there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return []
    throw machineError(error, folder)
  }
}
