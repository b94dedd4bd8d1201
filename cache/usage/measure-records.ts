import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { namesIn } from '../disk/names-in.ts'
import { diskBytes } from '../disk/remove-folder.ts'
import { restingState } from '../index/file-identity.ts'
import type { IndexDatabase } from '../index/open-index.ts'
import { environmentFolder, TREE } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { IndexedEnvironment } from './read-store.ts'

/** Environments looked at before other work of the process gets its turn. */
const slice = 200

/**
 * Of each environment, bytes of disk of its folder and the files in it: manifest, receipt, summary. No file there is
 * written in place, so that the index has them as long as the folder stays as it was.
 */
export async function measureRecords(
  database: IndexDatabase,
  volume: Volume,
  environments: readonly IndexedEnvironment[],
): Promise<Float64Array> {
  const records = new Float64Array(environments.length)
  const measured: { id: number; bytes: number; state: string }[] = []
  for (const [position, { id, key, records: known, recordsState }] of environments.entries()) {
    if (position % slice === 0) await nextTurn()
    const folder = environmentFolder(volume, key)
    const stats = lstatSync(folder, { throwIfNoEntry: false })
    if (stats === undefined) continue
    const state = restingState(stats, Date.now())
    if (known !== null && state !== null && state === recordsState) records[position] = known
    else {
      const bytes = diskBytes(stats) + bytesOfFiles(folder)
      records[position] = bytes
      if (state !== null) measured.push({ id, bytes, state })
    }
  }
  const set = database.prepare('UPDATE environment SET records = ?, records_state = ? WHERE id = ?')
  database.transaction(() => {
    for (const { id, bytes, state } of measured) set.run(bytes, state, id)
  })()
  return records
}

function bytesOfFiles(folder: string): number {
  return namesIn(folder).reduce((sum, name) => {
    if (name === TREE) return sum
    const stats: Stats | undefined = lstatSync(join(folder, name), { throwIfNoEntry: false })
    return stats === undefined ? sum : sum + diskBytes(stats)
  }, 0)
}
