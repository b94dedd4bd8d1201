import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isKey, type Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import { parseEnvironmentManifest } from '../../../src/tree/environment-manifest.ts'
import { MANIFEST_HEADER } from '../../../src/tree/manifest.ts'
import { parseManifest } from '../../../src/tree/parse-manifest.ts'
import { namesIn } from '../../disk/names-in.ts'
import { findEnvironment } from '../../environment/find-environment.ts'
import { type At, environmentFolder, environmentsFolder, MANIFEST, SUMMARY } from '../../volume/layout.ts'
import { fileIdentity } from '../file-identity.ts'
import type { IndexDatabase } from '../open-index.ts'
import type { Step } from './step.ts'
import { treeId } from './tree-id.ts'

/** Environments of one transaction. */
const batch = 200

interface Known {
  readonly key: Key
  readonly identity: string
  readonly used: number
}

/**
 * Environments whose summary is there: it comes last when one is published and goes first when one is removed, and
 * its mtime is the last use (cache/environment/note-use.ts). What else one has is read once.
 */
export function* environmentSteps(database: IndexDatabase, volume: At): Generator<Step> {
  const known = new Map(
    database
      .prepare<[], Known>('SELECT key, identity, used_ms AS used FROM environment')
      .all()
      .map(one => [one.key, one]),
  )
  const there = new Set<Key>()
  const changed: Known[] = []
  const used: Known[] = []
  for (const key of namesIn(environmentsFolder(volume)).filter(isKey)) {
    const stats = statSync(join(environmentFolder(volume, key), SUMMARY), { throwIfNoEntry: false })
    if (stats === undefined) continue
    there.add(key)
    const found = { key, identity: fileIdentity(stats), used: stats.mtimeMs }
    const before = known.get(key)
    if (before?.identity !== found.identity) changed.push(found)
    else if (before.used !== found.used) used.push(found)
  }
  const gone = [...known.keys()].filter(key => !there.has(key))
  const writer = environmentWriter(database, volume)
  yield* inBatches(gone, key => writer.remove(key))
  yield* inBatches(used, ({ key, used }) => writer.use(key, used))
  yield* inBatches(changed, found => writer.replace(found))
}

function* inBatches<T>(items: readonly T[], act: (item: T) => void): Generator<Step> {
  for (let at = 0; at < items.length; at += batch) {
    const part = items.slice(at, at + batch)
    yield {
      changes: part.length,
      apply() {
        for (const item of part) act(item)
      },
    }
  }
}

function environmentWriter(database: IndexDatabase, volume: At) {
  const find = database.prepare<[string], number>('SELECT id FROM environment WHERE key = ?').pluck()
  const unlink = database.prepare('DELETE FROM environment_tree WHERE environment = ?')
  const forgetCopies = database.prepare('DELETE FROM environment_copy WHERE environment = ?')
  const drop = database.prepare('DELETE FROM environment WHERE id = ?')
  const setUsed = database.prepare('UPDATE environment SET used_ms = ? WHERE key = ?')
  const add = database.prepare(
    `INSERT INTO environment (key, identity, tree, packages, files, bytes, own_files, own_bytes, used_ms, trees)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const link = database.prepare(
    'INSERT OR IGNORE INTO environment_tree (environment, tree) SELECT ?, value FROM json_each(?)',
  )
  const idOfTree = treeId(database)

  function remove(key: string): void {
    const id = find.get(key)
    if (id === undefined) return
    unlink.run(id)
    forgetCopies.run(id)
    drop.run(id)
  }

  return {
    remove,
    use: (key: string, used: number) => setUsed.run(used, key),
    replace({ key, identity, used }: Known): void {
      const holdings = readHoldings(volume, key)
      remove(key)
      if (holdings === 'gone') return
      if (holdings === 'damaged') {
        add.run(key, identity, null, 0, 0, 0, 0, 0, used, null)
        return
      }
      const { tree, packages, files, bytes, ownFiles, ownBytes } = holdings
      const ids = [...new Set(holdings.trees.map(idOfTree))]
      const packed = Buffer.from(Uint32Array.from(ids).buffer)
      const row = add.run(key, identity, tree, packages, files, bytes, ownFiles, ownBytes, used, packed)
      link.run(row.lastInsertRowid, JSON.stringify(ids))
    },
  }
}

interface Holdings {
  readonly tree: string
  readonly packages: number
  readonly files: number
  readonly bytes: number
  /** Digests of its packages' trees. */
  readonly trees: readonly string[]
  /** What is no package's. */
  readonly ownFiles: number
  readonly ownBytes: number
}

function readHoldings(volume: At, key: Key): Holdings | 'gone' | 'damaged' {
  try {
    const ready = findEnvironment(volume, key)
    if (ready === null) return 'gone'
    const { packages, own } = readManifest(join(environmentFolder(volume, key), MANIFEST))
    const files = own.flatMap(entry => (entry.kind === 'file' ? [entry] : []))
    return {
      ...ready.summary,
      trees: packages.map(({ tree }) => tree),
      ownFiles: files.length,
      ownBytes: files.reduce((bytes, { size }) => bytes + size, 0),
    }
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_CORRUPT') return 'damaged'
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    if (missing) return findEnvironment(volume, key) === null ? 'gone' : 'damaged'
    throw error
  }
}

/** An environment that was not put together from packages has the manifest of a plain tree. */
export function readManifest(file: string) {
  const text = readFileSync(file, 'utf8')
  if (text.startsWith(`${MANIFEST_HEADER}\n`)) return { packages: [], own: parseManifest(text, file) }
  const { packages, skeleton } = parseEnvironmentManifest(text, file)
  return { packages, own: skeleton }
}
