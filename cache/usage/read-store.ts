import type { Key } from '../../src/digest.ts'
import type { PackageFacts, TaskFacts, TreeFacts } from '../../src/report/storage/store-facts.ts'
import type { IndexDatabase } from '../index/open-index.ts'

/** Of each content of a tree in the index: three numbers (cache/index/schema.ts). */
const contentBytes = 12

/** The index as arrays; positions are the ids of rows. */
export interface Store {
  readonly blobs: {
    /** Bytes of disk; 0 for what isn't there. */
    readonly disk: Float64Array
    /** A number that is another once another file has the name; 0 for what isn't there. */
    readonly state: Uint32Array
    /** Milliseconds since 1970; 0 for what isn't there. */
    readonly born: Float64Array
    /** By inode. */
    readonly ofInode: ReadonlyMap<number, number>
  }
  readonly trees: TreeFacts
  readonly environments: readonly IndexedEnvironment[]
  readonly packages: readonly PackageFacts[]
  readonly tasks: readonly TaskFacts[]
}

export interface IndexedEnvironment {
  readonly id: number
  readonly key: Key
  readonly bytes: number
  readonly trees: Uint32Array
  /** Null until it was measured (measure-environments.ts). */
  readonly disk: number | null
  readonly diskState: number | null
  /** Bytes of disk of its folder and the files in it, when the folder was in that state. */
  readonly records: number | null
  readonly recordsState: string | null
}

/** Of an index that was brought current, the files in blobs/ included. */
export function readStore(database: IndexDatabase): Store {
  return {
    blobs: readBlobs(database),
    trees: readTrees(database),
    environments: readEnvironments(database),
    packages: database
      .prepare<[], PackageFacts>(
        `SELECT key AS packageKey, name, version, tree, coalesce(bytes, 0) AS apparent
         FROM package JOIN tree ON tree.id = package.tree ORDER BY name, version, key`,
      )
      .all(),
    tasks: database
      .prepare<[], TaskFacts>(
        `SELECT DISTINCT task, lockfiles, key FROM task WHERE key IS NOT NULL ORDER BY task, lockfiles, key`,
      )
      .all(),
  }
}

function readBlobs(database: IndexDatabase): Store['blobs'] {
  const end = endOf(database, 'blob')
  const [disk, state, born] = [new Float64Array(end), new Uint32Array(end), new Float64Array(end)]
  const ofInode = new Map<number, number>()
  const rows = database
    .prepare<[], [number, number, number, number]>(
      'SELECT id, inode, disk, born FROM blob WHERE listed = 1 AND inode IS NOT NULL',
    )
    .raw()
    .iterate()
  for (const [id, inode, bytes, bornMs] of rows) {
    // Two names of one inode hold it once.
    if (!ofInode.has(inode)) disk[id] = bytes
    state[id] = Math.imul(inode % 2 ** 32, 0x9e3779b1) ^ Math.imul(bornMs % 2 ** 32, 0x85ebca6b)
    born[id] = bornMs
    ofInode.set(inode, id)
  }
  return { disk, state, born, ofInode }
}

function readTrees(database: IndexDatabase): TreeFacts {
  const rows = database
    .prepare<[], { id: number; contents: Buffer }>(
      'SELECT id, contents FROM tree WHERE contents IS NOT NULL ORDER BY id',
    )
    .all()
  const count = rows.reduce((sum, { contents }) => sum + contents.byteLength / contentBytes, 0)
  const start = new Uint32Array(endOf(database, 'tree') + 1)
  const [blob, paths, compiled] = [new Uint32Array(count), new Uint32Array(count), new Uint32Array(count)]
  let position = 0
  for (const { id, contents } of rows) {
    start[id] = position
    const numbers = numbersOf(contents)
    for (let at = 0; at < numbers.length; at += 3, position++) {
      blob[position] = numbers[at]!
      paths[position] = numbers[at + 1]!
      compiled[position] = numbers[at + 2]!
    }
    start[id + 1] = position
  }
  // Of ids that no tree has, or one that is missing.
  for (let tree = 1; tree < start.length; tree++) start[tree] = Math.max(start[tree]!, start[tree - 1]!)
  return { start, blob, paths, compiled }
}

function readEnvironments(database: IndexDatabase): IndexedEnvironment[] {
  return database
    .prepare<[], Omit<IndexedEnvironment, 'trees'> & { trees: Buffer | null }>(
      `SELECT id, key, bytes, trees, disk, disk_state AS diskState, records, records_state AS recordsState
       FROM environment ORDER BY key`,
    )
    .all()
    .map(row => ({ ...row, trees: row.trees === null ? new Uint32Array() : numbersOf(row.trees) }))
}

/** A buffer of SQLite need not begin where numbers may. */
function numbersOf(bytes: Buffer): Uint32Array {
  return new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  )
}

function endOf(database: IndexDatabase, table: 'blob' | 'tree'): number {
  return database.prepare<[], number>(`SELECT coalesce(max(id), 0) + 1 FROM ${table}`).pluck().get()!
}
