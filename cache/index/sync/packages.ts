import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isKey, type Key } from '../../../src/digest.ts'
import { findPackage } from '../../package/find-package.ts'
import { type At, packagesFolder } from '../../volume/layout.ts'
import { fileIdentity } from '../file-identity.ts'
import type { IndexDatabase } from '../open-index.ts'
import { changedShards } from './shards.ts'
import type { Step } from './step.ts'
import { treeId } from './tree-id.ts'

/** Records; one that was removed and written again, or replaced, is another file and is read again. */
export function* packageSteps(database: IndexDatabase, volume: At): Generator<Step> {
  const inShard = database.prepare<[string, string], { key: string; identity: string }>(
    'SELECT key, identity FROM package WHERE key >= ? AND key < ?',
  )
  const set = database.prepare(
    'INSERT OR REPLACE INTO package (key, identity, name, version, tree) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = database.prepare('DELETE FROM package WHERE key = ?')
  const idOfTree = treeId(database)
  for (const shard of changedShards(database, 'packages', packagesFolder(volume))) {
    const known = new Map(
      inShard.all(shard.name, `${shard.name}g`).map(({ key, identity }) => [key, identity]),
    )
    const there = new Map(identities(shard.folder, shard.files))
    const changed = [...there].filter(([key, identity]) => known.get(key) !== identity)
    const gone = [...known.keys()].filter(key => !there.has(key as Key))
    const changes = changed.length + gone.length
    if (changes === 0 && !shard.atRest) continue
    yield {
      changes,
      apply() {
        for (const key of gone) remove.run(key)
        for (const [key, identity] of changed) {
          const record = findPackage(volume, key)
          if (record === null) set.run(key, identity, '', '', null)
          else set.run(key, identity, record.name, record.version, idOfTree(record.tree))
        }
        shard.noteListed()
      },
    }
  }
}

function identities(folder: string, files: readonly string[]): [Key, string][] {
  return files.flatMap(file => {
    const key = file.replace(/\.json$/, '')
    const stats = statSync(join(folder, file), { throwIfNoEntry: false })
    return key !== file && isKey(key) && stats !== undefined ? [[key, fileIdentity(stats)]] : []
  })
}
