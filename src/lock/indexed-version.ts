import type { Digest } from '../digest.ts'
import type { LockedPackage } from './lock.ts'
import type { IndexedFile } from './with-files.ts'

/** What the index has of one version of a package. */
export interface IndexedVersion {
  /** Those that the asking Python, or a later one, can use. */
  readonly files: readonly IndexedFile[]
  /** Of all its files. */
  readonly digests: readonly Digest[]
}

/**
 * Whether the index would tell nothing more of use today: an index goes on to list files, and one of them may be what
 * the lock wants. So the answer has every digest that the lock names, and a file for one of them.
 */
export function answersFor({ files, digests }: IndexedVersion, locked: LockedPackage): boolean {
  const all = new Set(digests)
  const told = new Set(files.map(({ digest }) => digest))
  return locked.digests.every(digest => all.has(digest)) && locked.digests.some(digest => told.has(digest))
}
