import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { restingState } from '../file-identity.ts'
import type { IndexDatabase } from '../open-index.ts'

/** A folder `<kind>/<aa>` that may have changed since it was listed. */
export interface Shard {
  /** Two hex digits. */
  readonly name: string
  /** Absolute. */
  readonly folder: string
  readonly files: readonly string[]
  /** To be called in the transaction that makes the index equal to `files`; until then it counts as changed. */
  noteListed(): void
  /** Whether noting it is of use: it came to rest. */
  readonly atRest: boolean
}

/**
 * The folders of blobs/, trees/ or packages/ (`root`) whose state is another than when they were last listed: adding
 * and removing a name sets a folder's times. The state is taken before the names are read.
 */
export function* changedShards(database: IndexDatabase, kind: string, root: string): Generator<Shard> {
  const known = new Map(
    database
      .prepare<[string], { path: string; identity: string }>(
        "SELECT path, identity FROM folder WHERE path GLOB ? || '/*'",
      )
      .all(kind)
      .map(({ path, identity }) => [path, identity]),
  )
  const note = database.prepare('INSERT OR REPLACE INTO folder (path, identity) VALUES (?, ?)')
  const forget = database.prepare('DELETE FROM folder WHERE path = ?')
  const names = new Set(list(root).filter(name => /^[0-9a-f]{2}$/.test(name)))
  for (const path of known.keys()) names.add(path.slice(kind.length + 1))
  for (const name of names) {
    const path = `${kind}/${name}`
    const folder = join(root, name)
    const stats = statSync(folder, { throwIfNoEntry: false })
    const state = stats === undefined ? null : restingState(stats, Date.now())
    if (state !== null && known.get(path) === state) continue
    yield {
      ...{ name, folder, atRest: state !== null },
      files: list(folder),
      noteListed: () => (state === null ? forget.run(path) : note.run(path, state)),
    }
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw machineError(error, folder)
  }
}
