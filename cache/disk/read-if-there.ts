import { readFileSync } from 'node:fs'
import { hasErrno, machineError } from './machine-error.ts'

/** The text of a file; null where there is none. Errors: IO. */
export function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null
    throw machineError(error, file)
  }
}
