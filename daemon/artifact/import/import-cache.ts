import { createHash } from 'node:crypto'
import { createReadStream, linkSync, lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { blobPath } from '../../../cache/blob/blob-path.ts'
import { takeInFiles } from '../../../cache/blob/take-in-files.ts'
import { syncFileSystem } from '../../../cache/disk/durable.ts'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { tryLock } from '../../../cache/lock/ofd-lock.ts'
import { downloadFile, downloadLockFile, downloadsFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ImportedRepository } from '../../../src/api/import.ts'
import { withStaging } from '../../prepare/build/with-staging.ts'
import type { ReportProgress } from '../../prepare/progress.ts'
import { bringIn, wayOf } from './bring-in.ts'
import type { CachedBlob, CachedRepository } from './find-caches.ts'

export interface ImportContext {
  readonly volume: Volume
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/** What importing a repository's contents would do; reads none of them. */
export function describeCache(volume: Volume, cached: CachedRepository): ImportedRepository {
  const { repository: name, type, revisions, blobs } = cached
  const known = blobs.filter(blob => isKnown(volume, blob))
  return {
    ...{ name, type, revisions, ...amount(blobs), known: amount(known) },
    way: blobs[0] === undefined ? 'copy' : wayOf(volume, blobs[0].place),
    damaged: [],
  }
}

/**
 * Makes the contents of a repository known to the store: what LFS keeps becomes blobs, what git keeps waits in
 * downloads/ under git's id. A fetch then asks the hub for the list of files, and for none of these. Each is read, and
 * left out where it isn't what its name says.
 */
export async function importCache(
  cached: CachedRepository,
  context: ImportContext,
): Promise<ImportedRepository> {
  const { volume, signal, report } = context
  const plan = describeCache(volume, cached)
  const missing = cached.blobs.filter(blob => !isKnown(volume, blob))
  const damaged: string[] = []
  await withStaging(volume, [], async ({ id, folder }) => {
    const brought = missing.map((blob, index) => {
      const place = join(folder, `import-${index}`)
      bringIn(blob.place, place, plan.way)
      return { etag: blob.etag, place, size: blob.size, executable: false }
    })
    async function* all() {
      yield brought
    }
    const onProgress = (done: number, total: number) =>
      report({ phase: 'hash', message: `reading ${plan.name}`, done, total, unit: 'bytes' })
    const { digests } = await takeInFiles(volume, all(), { staging: id, signal, onProgress })
    for (const file of brought) {
      const good = await proves(file, digests.get(file)!)
      if (!good) damaged.push(file.etag)
      else if (file.etag.length === 40) keepForFetch(volume, file)
    }
    await syncFileSystem(folder)
  })
  return { ...plan, damaged }
}

function amount(blobs: readonly CachedBlob[]): { files: number; bytes: number } {
  return { files: blobs.length, bytes: blobs.reduce((bytes, { size }) => bytes + size, 0) }
}

function isKnown(volume: Volume, { etag, size }: CachedBlob): boolean {
  return (
    etag.length === 64 && lstatSync(blobPath(volume, etag, false), { throwIfNoEntry: false })?.size === size
  )
}

async function proves({ etag, place, size }: CachedBlob, sha256: string): Promise<boolean> {
  if (etag.length === 64) return etag === sha256
  const git = createHash('sha1').update(`blob ${size}\0`)
  for await (const chunk of createReadStream(place)) git.update(chunk)
  return git.digest('hex') === etag
}

/** Where the next download of these contents finds them whole. */
function keepForFetch(volume: Volume, { etag, place }: CachedBlob): void {
  const name = `git-${etag}`
  onMachine(volume.root, () => makeFolders(downloadsFolder(volume)))
  const lock = tryLock(downloadLockFile(volume, name))
  if (lock === null) return
  try {
    onMachine(place, () => {
      rmSync(downloadFile(volume, name), { force: true })
      linkSync(place, downloadFile(volume, name))
    })
  } finally {
    lock.releaseAndRemove()
  }
}
