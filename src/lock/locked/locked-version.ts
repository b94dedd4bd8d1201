import { normalizeVersion } from '../../version/version.ts'
import type { TomlTable } from './toml-table.ts'

/** The normalized version of a package, null where the lock has none. Throws LOCK_SYNTAX. */
export function readVersion(locked: TomlTable): string | null {
  const version = locked.optionalString('version')
  if (version === null) return null
  return normalizeVersion(version) ?? locked.fail(`not a version: ${version}`, 'version')
}
