import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { type At, blobsFolder } from '../../volume/layout.ts'
import type { IndexDatabase } from '../open-index.ts'
import { changedShards } from './shards.ts'
import type { Step } from './step.ts'

export const blobName = /^[0-9a-f]{64}(?:\.x)?$/

/** Contents by their names. Sizes are what the trees say; only a content that no tree has is looked at. */
export function* blobSteps(database: IndexDatabase, volume: At): Generator<Step> {
  const inShard = database
    .prepare<[Buffer, Buffer], string>(
      `SELECT lower(hex(sha256)) || iif(executable, '.x', '') FROM blob
       WHERE listed = 1 AND sha256 >= ? AND sha256 <= ?`,
    )
    .pluck()
  const setListed = database.prepare('UPDATE blob SET listed = ? WHERE sha256 = ? AND executable = ?')
  const add = database.prepare('INSERT INTO blob (sha256, executable, size, listed) VALUES (?, ?, ?, 1)')
  for (const shard of changedShards(database, 'blobs', blobsFolder(volume))) {
    const first = Buffer.from(shard.name, 'hex')
    const known = new Set(inShard.all(first, Buffer.concat([first, Buffer.alloc(31, 0xff)])))
    const there = new Set(shard.files.filter(name => blobName.test(name)))
    const added = [...there].filter(name => !known.has(name))
    const gone = [...known].filter(name => !there.has(name))
    const changes = added.length + gone.length
    if (changes === 0 && !shard.atRest) continue
    yield {
      changes,
      apply() {
        for (const name of gone) setListed.run(0, ...columnsOf(name))
        for (const name of added) {
          if (setListed.run(1, ...columnsOf(name)).changes > 0) continue
          const stats = lstatSync(join(shard.folder, name), { throwIfNoEntry: false })
          if (stats !== undefined) add.run(...columnsOf(name), stats.size)
        }
        shard.noteListed()
      },
    }
  }
}

function columnsOf(name: string): [sha256: Buffer, executable: number] {
  return [Buffer.from(name.slice(0, 64), 'hex'), name.endsWith('.x') ? 1 : 0]
}
