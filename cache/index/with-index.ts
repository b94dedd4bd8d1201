import { EnvdError } from '../../src/error.ts'
import { machineError } from '../disk/machine-error.ts'
import { type IndexDatabase, inodeOf, isDamage, openIndex, removeIndex, UselessIndex } from './open-index.ts'

export interface IndexPlace {
  /** Absolute (index-file.ts). */
  readonly file: string
  /** Told, in one line, of an index that can't serve and is made anew. */
  note(line: string): void
}

/**
 * Opens the index for `action`. One that is damaged, or of another version of envd, is made anew and `action` runs
 * again: what it does has to bear that. Errors: IO, DISK_FULL, VOLUME_READ_ONLY (of the index's own place).
 */
export async function withIndex<T>(
  { file, note }: IndexPlace,
  action: (database: IndexDatabase) => T | Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const inode = inodeOf(file)
    let database: IndexDatabase | undefined
    try {
      database = openIndex(file)
      return await action(database)
    } catch (error) {
      const useless = error instanceof UselessIndex || isDamage(error)
      if (!useless || attempt > 1) throw indexError(error, file)
      note(`the index ${file} ${(error as Error).message}; it is made anew`)
      database?.close()
      removeIndex(file, inode)
    } finally {
      database?.close()
    }
  }
}

function indexError(error: unknown, file: string): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown }
  if (error instanceof EnvdError || !(error instanceof Error)) return error
  if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return machineError(error, file)
  return new EnvdError(code === 'SQLITE_FULL' ? 'DISK_FULL' : 'IO', `The index ${file}: ${message}`, {
    hint: 'Free space there, or name another folder with XDG_CACHE_HOME; the index can be made again.',
    details: { path: file, code },
    cause: error,
  })
}
