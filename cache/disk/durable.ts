import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { EnvdError } from '../../src/error.ts'
import { hasErrno, machineError, onMachine } from './machine-error.ts'
import { makeFolders } from './make-folder.ts'

/**
 * Replaces a file as a whole: readers see the old or the new contents, also after a power cut. The mode holds
 * whatever the umask. Makes missing parents. Errors: DISK_FULL, VOLUME_READ_ONLY, IO.
 */
export function writeDurable(path: string, data: string | Uint8Array, { mode }: { mode: number }): void {
  onMachine(path, () => {
    replaceFile(path, temporary => writeNewDurable(temporary, data, mode))
    syncFolder(dirname(path))
  })
}

/** As `writeDurable`, for what ends with the boot anyway (files below /run): a power cut may leave it empty. */
export function writeForBoot(path: string, data: string | Uint8Array, { mode }: { mode: number }): void {
  onMachine(path, () => {
    replaceFile(path, temporary => {
      writeFileSync(temporary, data, { flag: 'wx', mode })
      chmodSync(temporary, mode)
    })
  })
}

/** Makes missing parents. Throws system errors. */
function replaceFile(path: string, write: (temporary: string) => void): void {
  const folder = dirname(path)
  makeFolders(folder)
  const temporary = join(folder, `.${basename(path)}.${randomUUID()}`)
  try {
    write(temporary)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A new file with its contents on disk; its name is durable only after `syncFolder`. Throws system errors. */
export function writeNewDurable(path: string, data: string | Uint8Array, mode: number): void {
  const fd = openSync(path, 'wx', mode)
  try {
    writeFileSync(fd, data)
    fchmodSync(fd, mode)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Renames a folder and makes both parents durable. `exists`: there is one with something in it at `to` already,
 * and `from` is untouched (an empty one is replaced, rename(2)).
 */
export function publishFolder(from: string, to: string): 'published' | 'exists' {
  try {
    renameSync(from, to)
  } catch (error) {
    if (hasErrno(error, 'ENOTEMPTY', 'EEXIST')) return 'exists'
    throw machineError(error, to)
  }
  onMachine(to, () => {
    syncFolder(dirname(to))
    if (dirname(from) !== dirname(to)) syncFolder(dirname(from))
  })
  return 'published'
}

/** Writes out everything of the file system that `path` is on (syncfs(2), by `sync -f`). */
export async function syncFileSystem(path: string): Promise<void> {
  try {
    // coreutils is where every system has it, whatever PATH the caller was given.
    const PATH = [process.env.PATH, '/usr/bin', '/bin'].filter(Boolean).join(':')
    await promisify(execFile)('sync', ['-f', path], { env: { PATH } })
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new EnvdError('IO', `sync -f ${path}: ${said || String(error)}`, {
      details: { path },
      cause: error,
    })
  }
}

/** Has the kernel begin with it, so that `syncFileSystem` finds less to do later on; that one tells what fails. */
export function beginSync(path: string): void {
  syncFileSystem(path).catch(() => {})
}
