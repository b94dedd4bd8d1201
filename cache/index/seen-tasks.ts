import type { Stats } from 'node:fs'
import type { Key } from '../../src/digest.ts'
import type { IndexDatabase } from './open-index.ts'

/**
 * What was read from a task's files, kept so that a list of ten thousand tasks reads none of them. It holds as long
 * as the files and the environment's summary are those that were seen.
 */
export interface SeenTask {
  /** task.toml. */
  readonly file: FileState
  /** Path of the lock, relative to the task's folder. */
  readonly lock: string
  readonly lockState: FileState
  readonly python: string | null
  readonly baseImage: string | null
  /** Digest of what its key follows from in these files. */
  readonly files: Key
  /** Digest of what its key follows from beside these files. */
  readonly circumstances: Key
  /** Digest of all its key follows from. */
  readonly fact: Key
  /** Null where it wasn't known. */
  readonly key: Key | null
  readonly ready: SeenSummary | null
}

/** Of its environment, while it is ready. */
export interface SeenSummary {
  readonly file: FileState
  readonly packages: number
  readonly bytes: number
}

/** Inode, size, mtime and ctime in milliseconds: equal where nothing wrote meanwhile. */
export type FileState = readonly [ino: number, size: number, mtimeMs: number, ctimeMs: number]

export function fileState({ ino, size, mtimeMs, ctimeMs }: Stats): FileState {
  return [ino, size, mtimeMs, ctimeMs]
}

export function isState(stats: Stats | undefined, [ino, size, mtimeMs, ctimeMs]: FileState): boolean {
  return (
    stats !== undefined &&
    stats.ctimeMs === ctimeMs &&
    stats.mtimeMs === mtimeMs &&
    stats.ino === ino &&
    stats.size === size
  )
}

/** All of one folder of tasks, by name. */
export function recallTasks(database: IndexDatabase, lockfiles: string): Map<string, SeenTask> {
  const rows = database
    .prepare<[string], [string, string]>('SELECT task, seen FROM seen_task WHERE lockfiles = ?')
    .raw()
    .all(lockfiles)
  return new Map(rows.map(([task, seen]) => [task, JSON.parse(seen)]))
}

/** Null forgets one. */
export function rememberTasks(
  database: IndexDatabase,
  lockfiles: string,
  tasks: ReadonlyMap<string, SeenTask | null>,
): void {
  const set = database.prepare('INSERT OR REPLACE INTO seen_task (lockfiles, task, seen) VALUES (?, ?, ?)')
  const forget = database.prepare('DELETE FROM seen_task WHERE lockfiles = ? AND task = ?')
  const write = database.transaction(() => {
    for (const [task, seen] of tasks) {
      if (seen === null) forget.run(lockfiles, task)
      else set.run(lockfiles, task, JSON.stringify(seen))
    }
  })
  write.immediate()
}
