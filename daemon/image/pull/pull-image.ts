import { join } from 'node:path'
import { damagedBlobs } from '../../../cache/image/damaged-blobs.ts'
import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { imageLayout } from '../../../cache/volume/layout.ts'
import { EnvdError } from '../../../src/error.ts'
import type { BaseImage, RegistrySource } from '../../../src/image/image.ts'
import type { ImageRecord } from '../../../src/image/image-record.ts'
import type { ImageWork } from '../image-work.ts'
import { publishProved } from '../publish-proved.ts'
import { type LaidOutImage, readStagedImage } from '../staged-image.ts'
import { copyImage } from './copy-image.ts'
import { type FoundManifest, findManifest } from './find-manifest.ts'

export interface RegistryImage extends BaseImage {
  readonly source: RegistrySource
}

/**
 * Copies a pinned image into the volume's layout: all of it is in staging, and hashed, before anything is seen. Layers that
 * the volume has whole are not copied again. Call it with the image's lock. Errors: TOOL_MISSING, IMAGE_PULL_FAILED,
 * IMAGE_DAMAGED, SANDBOX_FAILED, DISK_FULL, IO.
 */
export function pullImage(work: ImageWork, image: RegistryImage): Promise<ImageRecord> {
  return withStagingFolder(work.volume, [], async ({ folder }) => {
    const { reference } = image.source
    const skopeo = { reference, ...work }
    work.report({ phase: 'resolve', message: `asking for ${reference}` })
    const found = await findManifest(skopeo, folder, image.machine)
    const linked = await copyImage(skopeo, folder, {
      ...{ found, name: image.name, known: imageLayout(work.volume) },
    })
    const staged = readStagedImage(join(folder, 'oci'))
    requireLayers(reference, staged, found)
    await requireWhole(
      work,
      reference,
      staged,
      staged.blobs.filter(({ digest }) => !linked.has(digest)),
    )
    return publishProved(work, image, staged, { folder, packages: null })
  })
}

/** The manifest may have become another one (Docker's becomes OCI's); what is in the layers may not. */
function requireLayers(reference: string, staged: LaidOutImage, { manifest }: FoundManifest): void {
  const [got, pinned] = [staged.manifest, manifest].map(({ layers }) =>
    layers.map(({ digest }) => digest).join(),
  )
  if (got === pinned) return
  throw new EnvdError(
    'IMAGE_DAMAGED',
    `${reference}: the copy has other layers than the pinned manifest names`,
    {
      details: { reference, got, pinned },
    },
  )
}

async function requireWhole(
  { signal, report }: ImageWork,
  reference: string,
  { layout }: LaidOutImage,
  blobs: LaidOutImage['blobs'],
): Promise<void> {
  const [first, ...others] = await damagedBlobs(layout, blobs, {
    signal,
    onProgress: (done, total) =>
      report({ phase: 'hash', message: 'hashing what came', done, total, unit: 'bytes' }),
  })
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  throw new EnvdError(
    'IMAGE_DAMAGED',
    `${reference}: blob ${first.digest} did not arrive whole: ${first.problem}${more}`,
    {
      hint: 'Pull again; where that repeats, the registry or the disk is at fault.',
      details: { reference, damaged: [first, ...others] },
    },
  )
}
