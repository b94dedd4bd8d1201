import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { machineError } from '../disk/machine-error.ts'
import { type Found, walkTree } from '../disk/walk-tree.ts'
import { stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { blobPath } from './blob-path.ts'
import { startHashing } from './hash-files.ts'
import { linkBlob } from './link/link-blob.ts'
import { linkError } from './link/link-error.ts'

export interface RelinkOptions {
  /** Id of a staging folder of the caller. */
  readonly staging: string
  readonly signal?: AbortSignal
}

/**
 * Makes the files of uv's unpacked wheels (`archive-v0/<id>`) links to the blobs of the same content, so that it
 * doesn't lie on the disk twice. uv finds the same bytes under the same names at every moment; what the store
 * doesn't have, what has another mode there, and empty files, which save nothing and are the first to reach the
 * limit of links, stay as they are. `digests` saves the hashing of inodes whose content is known.
 */
export async function relinkArchives(
  volume: Volume,
  folders: readonly string[],
  digests: ReadonlyMap<number, string>,
  { staging, signal }: RelinkOptions,
): Promise<void> {
  requireOwner(volume)
  const temporary = join(stagingFolder(volume, staging), `relink-${randomUUID()}`)
  const relink = (file: Found, sha256: string) => becomeLink(volume, file, sha256, temporary)
  const hashing = startHashing<Found>({ signal })
  try {
    for (const folder of folders) {
      for await (const batch of walkTree(folder)) {
        signal?.throwIfAborted()
        const files = batch.filter(({ kind, size }) => kind === 'file' && size > 0)
        hashing.add(files.filter(({ inode }) => !digests.has(inode)))
        for (const file of files) {
          const sha256 = digests.get(file.inode)
          if (sha256 !== undefined) relink(file, sha256)
        }
      }
    }
    for (const [file, sha256] of await hashing.finish()) relink(file, sha256)
  } finally {
    await hashing.stop()
  }
}

/** Not where it is the blob's inode already, or there is no blob for it that can have one more link. */
function becomeLink(volume: Volume, file: Found, sha256: string, temporary: string): void {
  const blob = blobPath(volume, sha256, (file.mode & 0o111) !== 0)
  const stats = lstatSync(blob, { throwIfNoEntry: false })
  if (stats === undefined || stats.ino === file.inode || stats.size !== file.size) return
  const place = file.place.toString()
  try {
    if (linkBlob(blob, temporary) !== 'linked') return
  } catch (error) {
    throw linkError(error, blob, place)
  }
  try {
    renameSync(temporary, file.place)
  } catch (error) {
    throw machineError(error, place)
  } finally {
    rmSync(temporary, { force: true })
  }
}
