import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { diskBytes } from '../../disk/remove-folder.ts'
import { type At, blobsFolder } from '../../volume/layout.ts'
import type { IndexDatabase } from '../open-index.ts'
import { blobName } from './blobs.ts'
import { changedShards } from './shards.ts'
import type { Step } from './step.ts'

interface Row {
  readonly id: number
  readonly name: string
  readonly inode: number | null
  readonly born: number | null
}

/**
 * Looks at the files in blobs/ of every folder that changed since: also at those whose names stayed, since another
 * copy may have taken the place of a blob. Only reports need this, and it takes a system call a file. `foreign` gets the
 * paths of what is no blob; a folder that has some is looked at each time.
 */
export function* diskSteps(database: IndexDatabase, volume: At, foreign: string[]): Generator<Step> {
  const inShard = database.prepare<[Buffer, Buffer], Row>(
    `SELECT id, lower(hex(sha256)) || iif(executable, '.x', '') AS name, inode, born FROM blob
     WHERE listed = 1 AND sha256 >= ? AND sha256 <= ?`,
  )
  const set = database.prepare('UPDATE blob SET inode = ?, disk = ?, born = ? WHERE id = ?')
  for (const shard of changedShards(database, 'disk', blobsFolder(volume))) {
    const first = Buffer.from(shard.name, 'hex')
    const changed = inShard
      .all(first, Buffer.concat([first, Buffer.alloc(31, 0xff)]))
      .flatMap(({ id, name, inode, born }) => {
        const stats = lstatSync(join(shard.folder, name), { throwIfNoEntry: false })
        const isKnown = stats?.ino === inode && stats?.birthtimeMs === born
        return stats === undefined || isKnown ? [] : [{ id, stats }]
      })
    const others = shard.files.filter(name => !blobName.test(name))
    foreign.push(...others.map(name => join(shard.folder, name)))
    const isDone = shard.atRest && others.length === 0
    if (changed.length === 0 && !isDone) continue
    yield {
      changes: changed.length,
      apply() {
        for (const { id, stats } of changed) set.run(stats.ino, diskBytes(stats), stats.birthtimeMs, id)
        if (isDone) shard.noteListed()
      },
    }
  }
}
