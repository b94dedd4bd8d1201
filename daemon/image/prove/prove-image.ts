import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { removeFolder } from '../../../cache/disk/remove-folder.ts'
import { walkTree } from '../../../cache/disk/walk-tree.ts'
import { blobFile } from '../../../cache/image/blob-file.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import type { ImageFacts } from '../../../src/image/image-facts.ts'
import type { ImageWork } from '../image-work.ts'
import type { LaidOutImage } from '../staged-image.ts'
import { findFacts } from './find-facts.ts'
import { rootedFolder } from './rooted-path.ts'
import { unpackImage } from './unpack-image.ts'

export interface Proof {
  readonly facts: ImageFacts
  /** Sum of the sizes of its files, in bytes; one with several names counts once. */
  readonly unpacked: number
}

/** Unpacks an image in `folder`, looks at it and asks its interpreters. Leaves nothing behind. */
export async function proveImage(
  { environment, signal, report }: ImageWork,
  image: BaseImage,
  { layout, manifest }: LaidOutImage,
  folder: string,
): Promise<Proof> {
  report({ phase: 'hash', message: 'looking into the image' })
  // Closed to others: what an image holds must not be run from here.
  const closed = join(folder, 'unpacked')
  const root = join(closed, 'root')
  onMachine(closed, () => {
    makeFolder(closed, 0o700)
    makeFolder(root)
  })
  try {
    const layers = manifest.layers.map(({ digest }) => blobFile(layout, digest))
    await unpackImage(layers, root, signal)
    const unpacked = await sizeOf(root)
    onMachine(root, () => {
      for (const name of ['proc', 'dev', 'tmp']) rootedFolder(root, name)
      chmodSync(root, 0o755)
    })
    return { facts: await findFacts({ root, environment, signal }, image), unpacked }
  } finally {
    await removeFolder(closed)
  }
}

async function sizeOf(root: string): Promise<number> {
  const sizes = new Map<number, number>()
  for await (const batch of walkTree(root)) for (const { inode, size } of batch) sizes.set(inode, size)
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}
