import { chmodSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrno } from './machine-error.ts'

/** Makes a folder with exactly these permission bits, whatever the umask. One that exists stays as it is. */
export function makeFolder(path: string, mode = 0o755): void {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return
    throw error
  }
  chmodSync(path, mode)
}

/** The same with all missing parents. */
export function makeFolders(path: string, mode = 0o755): void {
  try {
    makeFolder(path, mode)
  } catch (error) {
    if (!hasErrno(error, 'ENOENT') || dirname(path) === path) throw error
    makeFolders(dirname(path), mode)
    makeFolder(path, mode)
  }
}
