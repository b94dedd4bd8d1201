import type { Key } from '../../../src/digest.ts'
import type { IndexDatabase } from '../open-index.ts'

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

/** All packages, sorted by name, version and key. */
export function packageUses(database: IndexDatabase): PackageUse[] {
  return database
    .prepare<[], PackageUse>(
      `SELECT key AS packageKey, name, version, digest AS tree, files, bytes,
         (SELECT count(*) FROM environment_tree WHERE environment_tree.tree = package.tree) AS environments
       FROM package JOIN tree ON tree.id = package.tree ORDER BY name, version, key`,
    )
    .all()
}
