import { lstatSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { namesIn } from '../../../cache/disk/names-in.ts'
import type { HubType } from '../../../src/artifact/artifact.ts'

/** One repository in a hub's cache, as a client left it. */
export interface CachedRepository {
  readonly repository: string
  readonly type: HubType
  /** `models--org--name`, absolute. */
  readonly folder: string
  /** Commits with a snapshot. */
  readonly revisions: readonly string[]
  readonly blobs: readonly CachedBlob[]
}

export interface CachedBlob {
  /** sha256, or git's id of the blob: what the contents must be. */
  readonly etag: string
  readonly place: string
  /** Bytes. */
  readonly size: number
}

const folderName = /^(model|dataset)s--([\w.-]+?)(?:--([\w.-]+))?$/

/** The repositories of a cache, or the one whose folder this is; empty: it is neither. */
export function findCaches(path: string): CachedRepository[] {
  const root = onMachine(path, () => realpathSync(path))
  const own = readRepository(root)
  if (own !== null) return [own]
  return namesIn(root).flatMap(name => readRepository(join(root, name)) ?? [])
}

function readRepository(folder: string): CachedRepository | null {
  const [, type, first, second] = folderName.exec(basename(folder)) ?? []
  if (type === undefined || first === undefined) return null
  const names = namesIn(folder)
  if (!names.includes('blobs') || !names.includes('snapshots')) return null
  return {
    repository: second === undefined ? first : `${first}/${second}`,
    type: type as HubType,
    folder,
    revisions: namesIn(join(folder, 'snapshots')).filter(name => /^[0-9a-f]{40}$/.test(name)),
    blobs: namesIn(join(folder, 'blobs')).flatMap(name => readBlob(join(folder, 'blobs', name)) ?? []),
  }
}

/** Null for what is still coming in, or was never whole. */
function readBlob(place: string): CachedBlob | null {
  const etag = basename(place)
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(etag)) return null
  const stats = lstatSync(place, { throwIfNoEntry: false })
  return stats?.isFile() ? { etag, place, size: stats.size } : null
}
