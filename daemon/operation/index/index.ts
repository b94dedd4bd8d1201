import { statSync } from 'node:fs'
import { bringCurrent, countChanges } from '../../../cache/index/bring-current.ts'
import { type IndexDatabase, removeIndex } from '../../../cache/index/open-index.ts'
import { totals } from '../../../cache/index/question/totals.ts'
import { type IndexPlace, withIndex } from '../../../cache/index/with-index.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { IndexStatus } from '../../../src/api/operations.ts'
import { indexPlace } from './index-place.ts'

/** What the index knows, and whether that is what lies on the volume; reads nothing in. */
export async function indexStatus(volume: Volume, note: IndexPlace['note']): Promise<IndexStatus> {
  const place = indexPlace(volume, note)
  return withIndex(place, database => status(place.file, database, countChanges(database, volume)))
}

/** Makes the index anew from the volume. */
export async function rebuildIndex(
  volume: Volume,
  note: IndexPlace['note'],
  options: { signal?: AbortSignal },
): Promise<IndexStatus> {
  const place = indexPlace(volume, note)
  removeIndex(place.file, null)
  return withIndex(place, async database => {
    await bringCurrent(database, volume, options)
    return status(place.file, database, 0)
  })
}

function status(path: string, database: IndexDatabase, changes: number): IndexStatus {
  const size = [path, `${path}-wal`].reduce(
    (bytes, file) => bytes + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
  return { path, size, current: changes === 0, changes, ...totals(database) }
}
