import type { Key } from '../../../src/digest.ts'
import type { IndexDatabase } from '../open-index.ts'

export interface Users {
  /** Sorted. */
  readonly environments: readonly Key[]
  /** Whose last key is one of these; sorted by name. */
  readonly tasks: readonly TaskUse[]
}

export interface TaskUse {
  readonly task: string
  readonly lockfiles: string
  readonly key: Key
}

/** Ids are those of rows. */
export function usersOfTrees(database: IndexDatabase, trees: readonly number[]): Users {
  const environments = database
    .prepare<[string], Key>(
      `SELECT key FROM environment WHERE id IN (
         SELECT environment FROM environment_tree WHERE tree IN (SELECT value FROM json_each(?))
       ) ORDER BY key`,
    )
    .pluck()
    .all(JSON.stringify(trees))
  return { environments, tasks: tasksWith(database, environments) }
}

export function tasksWith(database: IndexDatabase, keys: readonly Key[]): TaskUse[] {
  return database
    .prepare<[string], TaskUse>(
      `SELECT DISTINCT task, lockfiles, key FROM task WHERE key IN (SELECT value FROM json_each(?))
       ORDER BY task, lockfiles`,
    )
    .all(JSON.stringify(keys))
}
