import type { Digest } from '../digest.ts'
import type { Lock, LockedFile, LockedPackage } from './lock.ts'

/** What an index tells about a file. */
export type IndexedFile = Pick<LockedFile, 'filename' | 'digest' | 'size'>

/**
 * Gives the packages of a requirements lock the files that the index has for their digests; an index has more
 * files than a lock allows. A digest without a file is no error while another one of its package has one.
 */
export function withFiles(lock: Lock, files: readonly IndexedFile[]): Lock {
  const byDigest = new Map<Digest, IndexedFile>()
  for (const file of files) if (file.digest !== null) byDigest.set(file.digest, file)
  return { ...lock, needsFiles: false, packages: lock.packages.map(locked => withFilesOf(locked, byDigest)) }
}

function withFilesOf(locked: LockedPackage, byDigest: ReadonlyMap<Digest, IndexedFile>): LockedPackage {
  if (locked.digests.length === 0) return locked
  const found = locked.digests
    .map(digest => byDigest.get(digest))
    .filter(file => file !== undefined)
    .map(
      ({ filename, digest, size }): LockedFile => ({
        filename,
        digest,
        size,
        weak: null,
        place: locked.place,
      }),
    )
  return {
    ...locked,
    wheels: found.filter(isWheel),
    sdist: found.find(file => !isWheel(file)) ?? null,
  }
}

function isWheel(file: LockedFile): boolean {
  return file.filename.endsWith('.whl')
}
