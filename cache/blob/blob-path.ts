import { type At, blobsFolder } from '../volume/layout.ts'

/** Where a content lies; what may be executed is a file of its own, since the mode belongs to the inode. */
export function blobPath(at: At, sha256: string, executable: boolean): string {
  return blobIn(blobsFolder(at), sha256, executable)
}

/** The same for threads that link a hundred thousand of them: `blobs` is the folder. */
export function blobIn(blobs: string, sha256: string, executable: boolean): string {
  return `${blobs}/${sha256.slice(0, 2)}/${sha256}${executable ? '.x' : ''}`
}
