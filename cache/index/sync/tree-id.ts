import type { IndexDatabase } from '../open-index.ts'

/** The row of a tree that a record or an environment names, whether the tree is there or not. */
export function treeId(database: IndexDatabase): (digest: string) => number {
  const find = database.prepare<[string], number>('SELECT id FROM tree WHERE digest = ?').pluck()
  const add = database.prepare('INSERT INTO tree (digest, listed) VALUES (?, 0)')
  const known = new Map<string, number>()
  return digest => {
    const id = known.get(digest) ?? find.get(digest) ?? Number(add.run(digest).lastInsertRowid)
    known.set(digest, id)
    return id
  }
}
