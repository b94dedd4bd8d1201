import { chmodSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ImageRecord } from '../../src/image/image-record.ts'
import { type Descriptor, MANIFEST_TYPE, REFERENCE_NAME } from '../../src/image/oci.ts'
import { syncFileSystem, syncFolder, writeDurable } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { waitForLock } from '../lock/ofd-lock.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { imageLayout, imageLayoutLockFile, imageRecordFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { blobFile, blobFolder } from './blob-file.ts'
import { nameOf, readIndex } from './find-image.ts'
import type { ImageFaultPoint } from './image-fault-points.ts'

/**
 * Moves the image of a staged layout into the volume's, and replaces what had its name. Blobs come first, each whole
 * and on disk; the name in index.json second; the record, without which nothing is found, last. Blobs that are there
 * already are replaced too: they may be damaged. Call it with the image's lock. Errors: VOLUME_NOT_OWNER, DISK_FULL, IO.
 */
export async function publishImage(volume: Volume, staged: string, record: ImageRecord): Promise<void> {
  requireOwner(volume)
  const reached = (point: ImageFaultPoint) => faultPoint(point)
  const layout = imageLayout(volume)
  for (const { digest } of record.blobs) {
    onMachine(staged, () => chmodSync(blobFile(staged, digest), 0o444))
  }
  reached('image:before-sync')
  await syncFileSystem(staged)
  const lock = await waitForLock(imageLayoutLockFile(volume))
  try {
    reached('image:before-blobs')
    moveBlobs(staged, layout, record)
    reached('image:after-blobs')
    writeDurable(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n', { mode: 0o644 })
    writeDurable(join(layout, 'index.json'), indexText(readIndex(volume), record), { mode: 0o644 })
    reached('image:after-index')
    writeDurable(imageRecordFile(volume, record.name), `${JSON.stringify(record)}\n`, { mode: 0o644 })
    reached('image:after-record')
  } finally {
    lock.release()
  }
}

function moveBlobs(staged: string, layout: string, { blobs }: ImageRecord): void {
  const folder = blobFolder(layout)
  onMachine(layout, () => {
    makeFolders(folder)
    // A blob that was linked from there is the same file, and stays (rename(2)).
    for (const { digest } of blobs) renameSync(blobFile(staged, digest), blobFile(layout, digest))
    for (const path of [folder, dirname(folder), layout, dirname(layout)]) syncFolder(path)
  })
}

function indexText(entries: readonly Descriptor[], { name, digest, blobs }: ImageRecord): string {
  const size = blobs.find(blob => blob.digest === digest)?.size ?? 0
  const ours: Descriptor = {
    ...{ mediaType: MANIFEST_TYPE, digest, size },
    annotations: { [REFERENCE_NAME]: name },
  }
  const manifests = [...entries.filter(entry => nameOf(entry) !== name), ours]
  return `${JSON.stringify({ schemaVersion: 2, manifests })}\n`
}
