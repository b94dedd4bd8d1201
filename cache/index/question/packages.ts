import type { Key } from '../../../src/digest.ts'
import type { IndexDatabase } from '../open-index.ts'
import { type Users, usersOfTrees } from './users.ts'

export interface PackageUse {
  readonly packageKey: Key
  readonly name: string
  readonly version: string
  readonly tree: string
  /** Null where its tree is missing or damaged. */
  readonly files: number | null
  readonly bytes: number | null
  /** How many environments have its tree. */
  readonly environments: number
}

const columns = `SELECT key AS packageKey, name, version, digest AS tree, files, bytes,
  (SELECT count(*) FROM environment_tree WHERE environment_tree.tree = package.tree) AS environments
  FROM package JOIN tree ON tree.id = package.tree`

/** All packages, sorted by name, version and key. */
export function packageUses(database: IndexDatabase): PackageUse[] {
  return database.prepare<[], PackageUse>(`${columns} ORDER BY name, version, key`).all()
}

/** Those of one name. */
export function packagesNamed(database: IndexDatabase, name: string): PackageUse[] {
  return database.prepare<[string], PackageUse>(`${columns} WHERE name = ? ORDER BY version, key`).all(name)
}

/** The environments that have a package's tree, and the tasks whose last key is one of theirs. */
export function usersOfPackage(database: IndexDatabase, packageKey: Key): Users {
  const trees = database
    .prepare<[string], number>('SELECT tree FROM package WHERE key = ? AND tree IS NOT NULL')
    .pluck()
    .all(packageKey)
  return usersOfTrees(database, trees)
}
