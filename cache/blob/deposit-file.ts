import { randomUUID } from 'node:crypto'
import { fchmodSync, fstatSync, futimesSync, linkSync, lstatSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { STORE_MTIME } from '../../src/tree/store-mtime.ts'
import { hasErrno } from '../disk/machine-error.ts'
import { makeFolder } from '../disk/make-folder.ts'
import { blobIn } from './blob-path.ts'

/** Folders of one volume. */
export interface Depository {
  readonly blobs: string
  readonly quarantine: string
  /** Where a link may lie for a moment; swept when its owner dies. */
  readonly staging: string
}

/** `known`: the store had it. `replaced`: what the store had under this name was damaged. */
export type Deposit = 'added' | 'known' | 'replaced'

export interface DepositedFile {
  readonly place: string | Buffer
  /** Bytes. */
  readonly size: number
  readonly executable: boolean
}

/**
 * Makes an open file, whose contents were just hashed, the blob of that name: its mode and time are the store's
 * from then on, under all its other names too; its contents are not touched. Throws system errors.
 */
export function depositFile(fd: number, file: DepositedFile, sha256: string, at: Depository): Deposit {
  seal(fd, file.executable ? 0o555 : 0o444)
  const blob = blobIn(at.blobs, sha256, file.executable)
  if (linkWithFolder(file.place, blob)) return 'added'
  const there = lstatSync(blob)
  if (there.isFile() && there.size === file.size) return 'known'
  replaceDamaged(blob, file.place, at)
  return 'replaced'
}

function seal(fd: number, mode: number): void {
  const stats = fstatSync(fd)
  if ((stats.mode & 0o7777) !== mode) fchmodSync(fd, mode)
  if (stats.mtimeMs !== STORE_MTIME * 1000) futimesSync(fd, STORE_MTIME, STORE_MTIME)
}

/** False where something has the name. */
function linkWithFolder(from: string | Buffer, to: string): boolean {
  for (;;) {
    try {
      linkSync(from, to)
      return true
    } catch (error) {
      if (hasErrno(error, 'EEXIST')) return false
      if (!hasErrno(error, 'ENOENT')) throw error
      lstatSync(from)
      makeFolder(dirname(to))
    }
  }
}

/** At no moment is there no blob of that name. */
function replaceDamaged(blob: string, good: string | Buffer, { quarantine, staging }: Depository): void {
  linkSync(blob, join(quarantine, `${basename(blob)}.${randomUUID()}`))
  const link = join(staging, `blob-${randomUUID()}`)
  linkSync(good, link)
  renameSync(link, blob)
}
