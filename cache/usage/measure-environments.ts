import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { hasErrno } from '../disk/machine-error.ts'
import { placeIn } from '../disk/place-in.ts'
import { diskBytes } from '../disk/remove-folder.ts'
import { findUndamaged } from '../environment/find-undamaged.ts'
import type { IndexDatabase } from '../index/open-index.ts'
import { readManifest } from '../index/sync/environments.ts'
import { environmentFolder, environmentTree, MANIFEST } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import type { IndexedEnvironment, Store } from './read-store.ts'
import { walkDisk } from './walk-disk.ts'

/** Of an environment's tree, without the contents of the store that it links to. */
interface Measured {
  /** Bytes of disk of folders, and of files that no package has. */
  readonly disk: number
  /** Bytes of disk by inode of packages' files that are no contents of the store any more. */
  readonly copies: ReadonlyMap<number, number>
}

/**
 * Measures each environment that was not measured yet, and those with a content that went from blobs/ since, or of which
 * another copy took the place: then theirs is no blob any more. Where the summary doesn't tell, its tree is walked. Kept
 * in the index, so that millions of links are looked at once, if at all.
 */
export async function measureEnvironments(
  database: IndexDatabase,
  volume: Volume,
  store: Store,
  options: { readonly signal?: AbortSignal } = {},
): Promise<IndexedEnvironment[]> {
  const stateOfTree = statesOfTrees(store)
  const newestOfTree = newestInTrees(store)
  const keep = database.transaction((id: number, { disk, copies }: Measured, state: number) => {
    database.prepare('UPDATE environment SET disk = ?, disk_state = ? WHERE id = ?').run(disk, state, id)
    database.prepare('DELETE FROM environment_copy WHERE environment = ?').run(id)
    const add = database.prepare('INSERT INTO environment_copy (environment, inode, disk) VALUES (?, ?, ?)')
    for (const [inode, bytes] of copies) add.run(id, inode, bytes)
  })
  const all: IndexedEnvironment[] = []
  for (const environment of store.environments) {
    const state = environment.trees.reduce((sum, tree) => (sum + (stateOfTree[tree] ?? 0)) >>> 0, 0)
    if (environment.disk !== null && environment.diskState === state) all.push(environment)
    else {
      options.signal?.throwIfAborted()
      const newest = environment.trees.reduce((born, tree) => Math.max(born, newestOfTree[tree] ?? 0), 0)
      const recorded = environment.disk === null ? readRecorded(volume, environment.key, newest) : null
      const measured = recorded ?? (await measure(volume, environment.key, store))
      keep(environment.id, measured, state)
      all.push({ ...environment, disk: measured.disk, diskState: state })
    }
  }
  return all
}

/** The environments that have an inode which is no blob, and its bytes of disk. */
export function copiesInEnvironments(
  database: IndexDatabase,
): Map<number, { disk: number; readonly environments: number[] }> {
  const rows = database
    .prepare<[], { inode: number; disk: number; environment: number }>(
      'SELECT inode, disk, environment FROM environment_copy ORDER BY environment, inode',
    )
    .all()
  const copies = new Map<number, { disk: number; readonly environments: number[] }>()
  for (const { inode, disk, environment } of rows) {
    const known = copies.get(inode)
    if (known === undefined) copies.set(inode, { disk, environments: [environment] })
    else known.environments.push(environment)
  }
  return copies
}

/**
 * What its builder found, if that is certain to hold: its contents are there, and none was born after the tree was
 * begun, so that none was replaced while it was linked, or since. Else null.
 */
function readRecorded(volume: Volume, key: Key, newestMs: number): Measured | null {
  const disk = findUndamaged(volume, key)?.summary.disk
  const tree = lstatSync(environmentTree(volume, key), { throwIfNoEntry: false })
  if (disk === undefined || tree === undefined || newestMs > tree.birthtimeMs) return null
  return { disk, copies: new Map() }
}

async function measure(volume: Volume, key: Key, { blobs: { ofInode } }: Store): Promise<Measured> {
  const tree = environmentTree(volume, key)
  const own = ownPaths(volume, key)
  const copies = new Map<number, number>()
  let disk = 0
  await walkDisk(tree, (stats, path) => {
    if (!stats.isFile() || own.has(path.toString('latin1'))) disk += diskBytes(stats)
    else if (!ofInode.has(stats.ino)) copies.set(stats.ino, diskBytes(stats))
  })
  return { disk, copies }
}

/** Absolute paths, as latin1, of the files that no package has; none where the manifest is damaged. */
function ownPaths(volume: Volume, key: Key): Set<string> {
  const tree = environmentTree(volume, key)
  try {
    const { own } = readManifest(join(environmentFolder(volume, key), MANIFEST))
    const files = own.filter(({ kind }) => kind === 'file')
    return new Set(files.map(({ path }) => Buffer.from(placeIn(tree, path)).toString('latin1')))
  } catch (error) {
    if (hasErrno(error, 'ENOENT') || (error instanceof EnvdError && error.code === 'VOLUME_CORRUPT'))
      return new Set()
    throw error
  }
}

/** Of each tree, a number that is another once any of its contents has another file in blobs/, or none. */
function statesOfTrees({ trees: { start, blob }, blobs: { state } }: Store): Uint32Array {
  const states = new Uint32Array(start.length - 1)
  for (let tree = 0; tree < states.length; tree++) {
    for (let at = start[tree]!; at < start[tree + 1]!; at++) states[tree] = states[tree]! + state[blob[at]!]!
  }
  return states
}

/** Of each tree, when the newest of its contents was born; infinite where one isn't there, or none is known. */
function newestInTrees({ trees: { start, blob }, blobs: { born } }: Store): Float64Array {
  const newest = new Float64Array(start.length - 1)
  for (let tree = 0; tree < newest.length; tree++) {
    if (start[tree] === start[tree + 1]) newest[tree] = Number.POSITIVE_INFINITY
    for (let at = start[tree]!; at < start[tree + 1]!; at++) {
      newest[tree] = Math.max(newest[tree]!, born[blob[at]!]! || Number.POSITIVE_INFINITY)
    }
  }
  return newest
}
