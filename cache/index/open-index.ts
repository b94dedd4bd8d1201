import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { EnvdError } from '../../src/error.ts'
import { waitForLockSync } from '../lock/ofd-lock.ts'
import { makingLock } from './index-file.ts'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'

export type IndexDatabase = Database.Database

/** How long one process waits for another's transaction or lock; none of ours takes so long. */
const busyMs = 20_000

/** Each checkpoint waits for the disk; a log of 40 MB, in pages of 4 KiB, makes filling twice as fast. */
const checkpointPages = 10_000

/** The file is there and can't serve: it is damaged, or of another version of envd. */
export class UselessIndex extends Error {}

/**
 * Opens the index, and makes an empty one where there is none. Throws UselessIndex, SqliteError, system errors.
 *
 * SQLite opens file and write-ahead log one after the other, by name. Where another process replaces both between
 * (`removeIndex`), they don't belong together: so the name has to lead to the same file before and after.
 */
export function openIndex(file: string): IndexDatabase {
  for (;;) {
    const before = inodeOf(file)
    if (before === null) createIndex(file)
    else {
      const database = openExisting(file, before)
      if (database !== null && inodeOf(file) === before) return database
      database?.close()
    }
  }
}

/** Null where it is not the one of that inode any more. */
function openExisting(file: string, inode: string): IndexDatabase | null {
  let database: IndexDatabase | undefined
  try {
    database = new Database(file, { fileMustExist: true, timeout: busyMs })
    const version = database.pragma('user_version', { simple: true })
    database.pragma('synchronous = NORMAL')
    database.pragma(`wal_autocheckpoint = ${checkpointPages}`)
    database.prepare('SELECT 1 FROM seen_task WHERE task = ?').get('')
    if (version === SCHEMA_VERSION) return database
    throw new UselessIndex(`has version ${version}, not ${SCHEMA_VERSION}`)
  } catch (error) {
    database?.close()
    if (inodeOf(file) !== inode) return null
    throw isDamage(error, 'ERROR') ? new UselessIndex(`is damaged: ${(error as Error).message}`) : error
  }
}

/** True for what SQLite says of a file it can't make sense of; `ERROR` stands for a missing table, among others. */
export function isDamage(error: unknown, ...more: readonly 'ERROR'[]): boolean {
  if (!(error instanceof Database.SqliteError)) return false
  return [...more, 'CORRUPT', 'NOTADB', 'FORMAT'].some(name => error.code.startsWith(`SQLITE_${name}`))
}

/** The file appears whole: in WAL mode, with its tables. */
function createIndex(file: string): void {
  withMakingLock(file, () => {
    if (inodeOf(file) !== null) return
    // A log whose file was deleted would be read into the new one.
    removeFiles(file)
    const temporary = `${file}.${randomUUID()}`
    try {
      const database = new Database(temporary)
      database.pragma('journal_mode = WAL')
      database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`)
      database.close()
      renameSync(temporary, file)
    } finally {
      removeFiles(temporary)
    }
  })
}

/** Removes the index unless another process has put a new one in its place; null: whichever is there. */
export function removeIndex(file: string, inode: string | null): void {
  withMakingLock(file, () => {
    if (inode === null || inodeOf(file) === inode) removeFiles(file)
  })
}

/** The file first: whoever opens its log now sees that it belongs to nothing any more. */
function removeFiles(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${file}${ending}`, { force: true })
}

function withMakingLock(file: string, action: () => void): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const lock = waitForLockSync(makingLock(file), busyMs)
  if (lock === null) {
    const path = makingLock(file)
    throw new EnvdError('IO', `Another process has held ${path} for ${busyMs / 1000} s`, {
      details: { path },
    })
  }
  try {
    action()
  } finally {
    lock.release()
  }
}

export function inodeOf(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false })
  return stats === undefined ? null : `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}
