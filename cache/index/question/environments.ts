import type { Key } from '../../../src/digest.ts'
import type { IndexDatabase } from '../open-index.ts'
import { type TaskUse, tasksWith } from './users.ts'

export interface EnvironmentUse {
  readonly key: Key
  readonly packages: number
  readonly files: number
  readonly bytes: {
    /** Sum of its file sizes. */
    readonly apparent: number
    /** Of these, contents that no other environment has. */
    readonly unique: number
  }
  readonly lastUsed: Date
  readonly tasks: readonly TaskUse[]
}

/** Every whole environment, the one longest unused first, without what takes a look at its contents. */
export function environmentsByUse(
  database: IndexDatabase,
): { readonly key: Key; readonly bytes: number; readonly lastUsed: Date }[] {
  return database
    .prepare<[], { key: Key; bytes: number; used: number }>(
      'SELECT key, bytes, used_ms AS used FROM environment WHERE tree IS NOT NULL ORDER BY used_ms, key',
    )
    .all()
    .map(({ key, bytes, used }) => ({ key, bytes, lastUsed: new Date(used) }))
}

/** Null where there is no such environment, or a damaged one. */
export function environmentUse(database: IndexDatabase, key: Key): EnvironmentUse | null {
  const row = database
    .prepare<
      [string],
      { id: number; packages: number; files: number; bytes: number; own: number; used: number }
    >(
      `SELECT id, packages, files, bytes, own_bytes AS own, used_ms AS used
       FROM environment WHERE key = ? AND tree IS NOT NULL`,
    )
    .get(key)
  if (row === undefined) return null
  const { packages, files, bytes, own, used } = row
  return {
    ...{ key, packages, files },
    bytes: { apparent: bytes, unique: own + exclusiveBytes(database, row.id) },
    lastUsed: new Date(used),
    tasks: tasksWith(database, [key]),
  }
}

/** Contents of packages: in a tree that only this environment has, and in no tree that another has. */
function exclusiveBytes(database: IndexDatabase, id: number): number {
  return database
    .prepare<{ id: number }, number>(
      `SELECT total(size) FROM blob WHERE listed = 1 AND id IN (
         SELECT blob FROM tree_blob JOIN environment_tree own USING (tree)
         WHERE own.environment = @id AND NOT EXISTS (
           SELECT 1 FROM environment_tree WHERE tree = own.tree AND environment <> @id)
       ) AND NOT EXISTS (
         SELECT 1 FROM tree_blob JOIN environment_tree USING (tree)
         WHERE blob = blob.id AND environment <> @id)`,
    )
    .pluck()
    .get({ id })!
}
