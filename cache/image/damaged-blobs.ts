import { lstatSync } from 'node:fs'
import { hexOf, type Sha256 } from '../../src/image/oci.ts'
import { type FileToHash, startHashing } from '../blob/hash-files.ts'
import { onMachine } from '../disk/machine-error.ts'
import { blobFile } from './blob-file.ts'

export interface BlobToCheck {
  readonly digest: Sha256
  readonly size: number
}

export interface DamagedBlob {
  readonly digest: Sha256
  /** What is wrong with it: `it is missing`. */
  readonly problem: string
}

interface Options {
  readonly signal?: AbortSignal | undefined
  /** Bytes read and bytes in all. */
  readonly onProgress?: (done: number, total: number) => void
}

/** The blobs of a layout that don't have the content they are named by. Reads all of them. */
export async function damagedBlobs(
  layout: string,
  blobs: readonly BlobToCheck[],
  { signal, onProgress }: Options = {},
): Promise<DamagedBlob[]> {
  const damaged: DamagedBlob[] = []
  const whole: (FileToHash & { readonly digest: Sha256 })[] = []
  for (const { digest, size } of blobs) {
    const place = blobFile(layout, digest)
    const stats = onMachine(place, () => lstatSync(place, { throwIfNoEntry: false }))
    if (stats === undefined) damaged.push({ digest, problem: 'it is missing' })
    else if (!stats.isFile()) damaged.push({ digest, problem: 'it is no file' })
    else if (stats.size !== size) {
      damaged.push({ digest, problem: `it has ${stats.size} bytes instead of ${size}` })
    } else whole.push({ place, size, digest })
  }
  const hashing = startHashing({
    signal,
    onProgress,
    onFailure: ({ digest }: (typeof whole)[number], error) =>
      damaged.push({ digest, problem: error instanceof Error ? error.message : String(error) }),
  })
  try {
    hashing.add(whole)
    for (const [{ digest }, sha256] of await hashing.finish()) {
      if (sha256 !== hexOf(digest)) damaged.push({ digest, problem: `its content is sha256:${sha256}` })
    }
  } finally {
    await hashing.stop()
  }
  return damaged
}
