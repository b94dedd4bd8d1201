import { EnvdError } from '../../src/error.ts'
import type { InstalledFile, InstalledPackage, InstalledTree } from './installed-package.ts'

export interface UnexpectedFile {
  readonly path: string
  /** Name of its package. */
  readonly owner: string
}

/** Files whose content is another than the one that is expected. */
export function unexpectedFiles(
  { name, expected }: InstalledPackage,
  { files }: InstalledTree,
  digests: ReadonlyMap<InstalledFile, string>,
): UnexpectedFile[] {
  if (expected === undefined) return []
  return files
    .filter(file => (expected.get(file.path) ?? digests.get(file)) !== digests.get(file))
    .map(({ path }) => ({ path, owner: name }))
}

export function refuseUnexpected(unexpected: readonly UnexpectedFile[]): void {
  const [first] = unexpected
  if (first === undefined) return
  const packages = [...new Set(unexpected.map(({ owner }) => owner))]
  const files = unexpected.slice(0, 20).map(({ path }) => path)
  throw new EnvdError('PACKAGE_DAMAGED', `${first.owner}: ${first.path} is not what its RECORD says`, {
    details: { packages, files },
  })
}
