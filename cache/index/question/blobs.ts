import type { IndexDatabase } from '../open-index.ts'
import { type Users, usersOfTrees } from './users.ts'

export interface BlobUse extends Users {
  /** Bytes. */
  readonly size: number
  /** Whether it lies in blobs/. */
  readonly there: boolean
  /** How many packages' trees have it. */
  readonly trees: number
}

/** Null for a content that neither lies on the volume nor is named by a tree. */
export function blobUse(database: IndexDatabase, sha256: string, executable: boolean): BlobUse | null {
  const row = database
    .prepare<[Buffer, number], { id: number; size: number; listed: number }>(
      'SELECT id, size, listed FROM blob WHERE sha256 = ? AND executable = ?',
    )
    .get(Buffer.from(sha256, 'hex'), executable ? 1 : 0)
  if (row === undefined) return null
  const trees = database
    .prepare<[number], number>('SELECT tree FROM tree_blob WHERE blob = ?')
    .pluck()
    .all(row.id)
  return {
    size: row.size,
    there: row.listed === 1,
    trees: trees.length,
    ...usersOfTrees(database, trees),
  }
}
