import { publishImage } from '../../cache/image/publish-image.ts'
import type { BaseImage } from '../../src/image/image.ts'
import type { ImageRecord } from '../../src/image/image-record.ts'
import type { Sha256 } from '../../src/image/oci.ts'
import type { ImageWork } from './image-work.ts'
import { proveImage } from './prove/prove-image.ts'
import type { LaidOutImage } from './staged-image.ts'

/**
 * Finds out what a staged image has, and publishes it with that: also where image.toml says something else, which is
 * refused wherever the image is used (requireMatch), and needs no second copy when image.toml is corrected.
 */
export async function publishProved(
  work: ImageWork,
  image: BaseImage,
  staged: LaidOutImage,
  { folder, packages }: { folder: string; packages: Sha256 | null },
): Promise<ImageRecord> {
  const { facts, unpacked } = await proveImage(work, image, staged, folder)
  const variables = Object.fromEntries(staged.config.environment.map(splitVariable))
  const record: ImageRecord = {
    schemaVersion: 1,
    name: image.name,
    source: image.source,
    machine: image.machine,
    digest: staged.digest,
    config: staged.manifest.config.digest,
    blobs: staged.blobs.map(({ digest, size }) => ({ digest, size })),
    bytes: { packed: staged.blobs.reduce((bytes, { size }) => bytes + size, 0), unpacked },
    variables,
    path: variables.PATH ?? null,
    facts,
    packages,
    madeAt: new Date().toISOString(),
  }
  await publishImage(work.volume, staged.layout, record)
  return record
}

function splitVariable(text: string): [string, string] {
  const at = text.indexOf('=')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
