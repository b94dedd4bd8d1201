import { randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  futimesSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
} from 'node:fs'
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
 * from then on, under all its other names too; its contents are not touched. A blob that is there already stays where
 * it looks whole: mode, time, size, and samples of its contents. Throws system errors.
 */
export function depositFile(fd: number, file: DepositedFile, sha256: string, at: Depository): Deposit {
  seal(fd, file.executable ? 0o555 : 0o444)
  const blob = blobIn(at.blobs, sha256, file.executable)
  for (;;) {
    if (linkWithFolder(file.place, blob)) return 'added'
    try {
      if (isSame(fd, blob)) return 'known'
      replaceDamaged(blob, file.place, at)
      return 'replaced'
    } catch (error) {
      // Verification has just taken it away.
      if (!hasErrno(error, 'ENOENT')) throw error
    }
  }
}

/** Of a sealed file and what lies at the path of its blob. */
function isSame(fd: number, blob: string): boolean {
  const [ours, there] = [fstatSync(fd), lstatSync(blob)]
  if (there.ino === ours.ino) return true
  if (there.mode !== ours.mode || there.mtimeMs !== ours.mtimeMs || there.size !== ours.size) return false
  return ours.size === 0 || haveSameSamples(fd, blob, ours.size)
}

function seal(fd: number, mode: number): void {
  const stats = fstatSync(fd)
  if ((stats.mode & 0o7777) !== mode) fchmodSync(fd, mode)
  if (stats.mtimeMs !== STORE_MTIME * 1000) futimesSync(fd, STORE_MTIME, STORE_MTIME)
}

/** Bytes compared at the beginning, in the middle and at the end: short contents are compared as a whole. */
const piece = 4096
const pieces = [Buffer.allocUnsafeSlow(piece), Buffer.allocUnsafeSlow(piece)] as const

function haveSameSamples(fd: number, blob: string, size: number): boolean {
  const other = openSync(blob, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const places = new Set([0, Math.max(0, Math.floor((size - piece) / 2)), Math.max(0, size - piece)])
    return [...places].every(place => {
      const [ours, theirs] = [
        readSync(fd, pieces[0], 0, piece, place),
        readSync(other, pieces[1], 0, piece, place),
      ]
      return ours === theirs && pieces[0].compare(pieces[1], 0, ours, 0, ours) === 0
    })
  } catch (error) {
    if (hasErrno(error, 'EIO')) return false
    throw error
  } finally {
    closeSync(other)
  }
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
