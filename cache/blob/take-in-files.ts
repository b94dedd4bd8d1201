import { onMachine } from '../disk/machine-error.ts'
import { keepSamples, SampleRecords } from '../verify/check/sample/samples.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { blobsFolder, quarantineFolder, stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import type { DepositedFile } from './deposit-file.ts'
import { startHashing } from './hash-files.ts'

export interface TakeInOptions<File extends DepositedFile> {
  /** Id of the staging folder the files lie in, or another of the caller. */
  readonly staging: string
  /** Takes each digest as it comes, in any order, so that a great many need not be kept. */
  readonly onDigest?: (file: File, sha256: string) => void
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed, and bytes found so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface FilesTakenIn<File extends DepositedFile> {
  /** sha256 of each file, 64 hex digits, that was not handed to `onDigest`. */
  readonly digests: ReadonlyMap<File, string>
  /** What the store did not have: contents, and the sum of their sizes. */
  readonly added: { readonly files: number; readonly bytes: number }
  /** Names of blobs that were found damaged: they lie in quarantine/, and a good one in their place. */
  readonly damaged: readonly string[]
}

/**
 * Makes files blobs, on worker threads: hashed, then read-only with the store's time, then linked into blobs/. Each
 * file stays where it is, under the same inode unless the store had its content. Files may still be found while the
 * first are hashed; the next batch is asked for when there is room for it. Quick verification has samples of them from
 * then on. Durable only when the caller has synced the file system. Errors: LINK_OTHER_FILE_SYSTEM,
 * LINK_NOT_PERMITTED, LINK_LIMIT, VOLUME_NOT_OWNER, DISK_FULL, IO, the signal's reason.
 */
export async function takeInFiles<File extends DepositedFile>(
  volume: Volume,
  batches: AsyncIterable<readonly File[]>,
  { staging, signal, onProgress, onDigest }: TakeInOptions<File>,
): Promise<FilesTakenIn<File>> {
  requireOwner(volume)
  const added = { files: 0, bytes: 0 }
  const damaged: string[] = []
  const samples = new SampleRecords()
  const hashing = startHashing<File>({
    ...{ signal, onProgress },
    ...(onDigest ? { onDigest } : {}),
    into: {
      blobs: blobsFolder(volume),
      quarantine: quarantineFolder(volume),
      staging: stagingFolder(volume, staging),
    },
    onDeposit({ size }, sha256, deposit) {
      if (deposit === 'replaced') damaged.push(sha256)
      if (deposit !== 'added') return
      added.files += 1
      added.bytes += size
    },
    onSamples: records => samples.addAll(records),
  })
  try {
    for await (const batch of batches) {
      signal?.throwIfAborted()
      hashing.add(batch)
      await hashing.room()
    }
    const digests = await hashing.finish()
    onMachine(volume.root, () => keepSamples(volume, samples))
    faultPoint('take-in:after-blobs')
    return { digests, added, damaged }
  } finally {
    await hashing.stop()
  }
}
