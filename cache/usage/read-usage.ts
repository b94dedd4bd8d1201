import { noBytes, type PartBytes } from '../../src/report/storage/parts.ts'
import { contentBytes, type Sharing, shareContents } from '../../src/report/storage/sharing.ts'
import type { StoreFacts } from '../../src/report/storage/store-facts.ts'
import { bringCurrent, lookAtBlobs } from '../index/bring-current.ts'
import type { IndexDatabase } from '../index/open-index.ts'
import type { Volume } from '../volume/open-volume.ts'
import { copiesInEnvironments, measureEnvironments } from './measure-environments.ts'
import { measureRecords } from './measure-records.ts'
import { measureVolume } from './measure-volume.ts'
import { readStore } from './read-store.ts'

export interface Usage {
  readonly store: StoreFacts
  readonly sharing: Sharing
  /** Bytes of disk; together what `du` counts. */
  readonly parts: PartBytes
  /** Folders that this user may not read; what they hold isn't counted. */
  readonly unread: readonly string[]
}

/** Brings the index current and measures the volume. What others change meanwhile may be counted or not. */
export async function readUsage(
  database: IndexDatabase,
  volume: Volume,
  options: { readonly signal?: AbortSignal } = {},
): Promise<Usage> {
  await bringCurrent(database, volume, options)
  const foreign = await lookAtBlobs(database, volume, options)
  const read = readStore(database)
  const environments = await measureEnvironments(database, volume, read, options)
  const copies = copiesInEnvironments(database)
  const records = await measureRecords(database, volume, environments)
  const { bytes, elsewhere, copiesElsewhere, unread } = await measureVolume(
    volume,
    read,
    new Set(copies.keys()),
    foreign,
  )
  const copiesOf = new Map<number, number>()
  let copyBytes = 0
  for (const [inode, { disk, environments }] of copies) {
    copyBytes += disk
    const [only, another] = environments
    if (another !== undefined || copiesElsewhere.has(inode)) continue
    copiesOf.set(only!, (copiesOf.get(only!) ?? 0) + disk)
  }
  const store: StoreFacts = {
    blobs: { disk: read.blobs.disk, elsewhere },
    ...{ trees: read.trees, packages: read.packages, tasks: read.tasks },
    environments: environments.map(({ id, key, trees, bytes, disk }, position) => ({
      ...{ key, trees },
      apparent: bytes,
      own: disk ?? 0,
      records: records[position]!,
      copies: copiesOf.get(id) ?? 0,
    })),
  }
  const sharing = shareContents(store)
  const contents = contentBytes(store, sharing)
  const total = (field: 'own' | 'records') =>
    store.environments.reduce((sum, environment) => sum + environment[field], 0)
  const parts: PartBytes = {
    ...noBytes(),
    ...bytes,
    ...{ shared: contents.shared, unique: contents.unique, unreferenced: contents.unreferenced },
    copies: bytes.copies + copyBytes,
    folders: total('own'),
    records: bytes.records + total('records'),
    artifacts: bytes.artifacts + contents.artifacts,
    pythons: bytes.pythons + contents.pythons,
  }
  return { store, sharing, parts, unread }
}
