import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { noBytes, type Part } from '../../src/report/storage/parts.ts'
import { ARTIFACT, PYTHON, UV_CACHE } from '../../src/report/storage/store-facts.ts'
import { namesIn } from '../disk/names-in.ts'
import { diskBytes } from '../disk/remove-folder.ts'
import { blobsFolder, environmentsFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { Store } from './read-store.ts'
import { walkDisk } from './walk-disk.ts'

/** What the folders at the top hold. `envs` and `blobs` are looked at in their own ways. */
const partOfTop: Readonly<Record<string, Part>> = {
  artifacts: 'artifacts',
  downloads: 'downloads',
  facts: 'bookkeeping',
  history: 'bookkeeping',
  images: 'images',
  leases: 'bookkeeping',
  locks: 'bookkeeping',
  logs: 'logs',
  packages: 'records',
  pythons: 'pythons',
  quarantine: 'quarantine',
  samples: 'records',
  staging: 'staging',
  tasks: 'bookkeeping',
  tools: 'tools',
  trees: 'records',
  uv: 'uv',
  VERSION: 'bookkeeping',
}

const holders: Readonly<Record<string, number>> = { artifacts: ARTIFACT, pythons: PYTHON, uv: UV_CACHE }

export interface VolumeMeasure {
  /** Bytes of disk of everything but contents, environments and what is known of copies. */
  readonly bytes: Readonly<Record<Part, number>>
  /** Of each content, what else has it (store-facts.ts). */
  readonly elsewhere: Uint8Array
  /** Inodes among `copies` that lie outside of environments, too. */
  readonly copiesElsewhere: ReadonlySet<number>
  /** Folders that this user may not read. */
  readonly unread: readonly string[]
}

/**
 * Walks what is on a volume, but for blobs/ and environments, which the index knows. Inodes with several
 * names count once; those of contents, and of `copies`, not at all. `foreign`: what lies beside blobs and is none.
 */
export async function measureVolume(
  volume: Volume,
  { blobs, environments }: Store,
  copies: ReadonlySet<number>,
  foreign: readonly string[],
): Promise<VolumeMeasure> {
  const bytes = noBytes()
  const elsewhere = new Uint8Array(blobs.disk.length)
  const counted = new Set<number>()
  const copiesElsewhere = new Set<number>()
  const unread: string[] = []

  function add(part: Part, stats: Stats, holder = 0): void {
    if (stats.nlink > 1 && !stats.isDirectory()) {
      const blob = blobs.ofInode.get(stats.ino)
      if (blob !== undefined) {
        elsewhere[blob] = elsewhere[blob]! | holder
        return
      }
      if (copies.has(stats.ino)) copiesElsewhere.add(stats.ino)
      if (copies.has(stats.ino) || counted.has(stats.ino)) return
      counted.add(stats.ino)
    }
    bytes[part] += diskBytes(stats)
  }
  async function walk(path: string, part: Part, holder = 0): Promise<void> {
    unread.push(...(await walkDisk(path, stats => add(part, stats, holder))))
  }
  /** A folder alone, without what it holds. */
  function folder(path: string, part: Part): void {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats !== undefined) add(part, stats)
  }

  async function walkBlobs(root: string): Promise<void> {
    folder(root, 'records')
    for (const shard of namesIn(root)) {
      const path = join(root, shard)
      if (/^[0-9a-f]{2}$/.test(shard)) folder(path, 'records')
      else await walk(path, 'other')
    }
    for (const path of foreign) await walk(path, 'other')
  }

  /** Those that the index doesn't know are being removed, or none. */
  async function walkEnvironments(root: string): Promise<void> {
    const known = new Set<string>(environments.map(({ key }) => key))
    folder(root, 'records')
    for (const name of namesIn(root)) if (!known.has(name)) await walk(join(root, name), 'staging')
  }

  folder(volume.root, 'bookkeeping')
  for (const name of namesIn(volume.root)) {
    const path = join(volume.root, name)
    if (path === blobsFolder(volume)) await walkBlobs(path)
    else if (path === environmentsFolder(volume)) await walkEnvironments(path)
    else await walk(path, partOfTop[name] ?? 'other', holders[name])
  }
  return { bytes, elsewhere, copiesElsewhere, unread }
}
