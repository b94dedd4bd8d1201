import { damagedBlobs } from '../../cache/image/damaged-blobs.ts'
import { findImage } from '../../cache/image/find-image.ts'
import { sweepStaging } from '../../cache/lease/sweep-staging.ts'
import { withStagingFolder } from '../../cache/lease/with-staging.ts'
import { imageLayout } from '../../cache/volume/layout.ts'
import type { DebianImage } from '../../src/image/debian-packages.ts'
import type { BaseImage } from '../../src/image/image.ts'
import { mismatches } from '../../src/image/image-facts.ts'
import { type ImageRecord, isOfSource } from '../../src/image/image-record.ts'
import { buildImage } from './build/build-image.ts'
import type { ImageWork } from './image-work.ts'
import { publishProved } from './publish-proved.ts'
import { pullImage, type RegistryImage } from './pull/pull-image.ts'
import { refuseOtherMachine } from './read/refuse-other-machine.ts'
import { requireMatch } from './read/require-match.ts'
import { readLaidOutImage } from './staged-image.ts'
import { withImageLock } from './with-image-lock.ts'

export interface BroughtImage {
  readonly record: ImageRecord
  /** False where it was there already. */
  readonly changed: boolean
}

/**
 * Pulls an image of a registry, or builds one of Debian packages. One that is pulled and lies whole in the volume's
 * layout, which is hashed, stays as it is; what is built is built again. Errors: those of pullImage and buildImage,
 * IMAGE_OTHER_MACHINE, IMAGE_MISMATCH, VOLUME_NOT_OWNER.
 */
export async function bringImage(
  work: ImageWork,
  image: BaseImage,
  { update }: { readonly update: boolean },
): Promise<BroughtImage> {
  refuseOtherMachine(image)
  return withImageLock(work, image.name, async () => {
    const there = isRegistry(image) ? await findWhole(work, image) : null
    const brought = there ?? (await bring(work, image, update))
    return { record: await match(work, image, brought), changed: there === null }
  })
}

/**
 * The image that image.toml describes, brought to the volume where it isn't there. What is there is taken as its record
 * says it is: `envd image check` reads its content. Errors: as bringImage.
 */
export async function findOrBringImage(work: ImageWork, image: BaseImage): Promise<ImageRecord> {
  refuseOtherMachine(image)
  const there = findOfSource(work, image)
  if (there !== null && isMatch(image, there)) return there
  return withImageLock(work, image.name, async () => {
    const record = findOfSource(work, image) ?? (await bring(work, image, false))
    return match(work, image, record)
  })
}

async function bring(work: ImageWork, image: BaseImage, update: boolean): Promise<ImageRecord> {
  await sweepStaging(work.volume)
  return isRegistry(image) ? pullImage(work, image) : buildImage(work, image as DebianImage, update)
}

function findOfSource({ volume }: ImageWork, image: BaseImage): ImageRecord | null {
  const record = findImage(volume, image.name)
  return record !== null && isOfSource(record, image) ? record : null
}

async function findWhole(work: ImageWork, image: BaseImage): Promise<ImageRecord | null> {
  const record = findOfSource(work, image)
  if (record === null) return null
  const { volume, signal, report } = work
  const damaged = await damagedBlobs(imageLayout(volume), record.blobs, {
    signal,
    onProgress: (done, total) =>
      report({ phase: 'hash', message: 'hashing what is there', done, total, unit: 'bytes' }),
  })
  return damaged.length === 0 ? record : null
}

/** Where image.toml names an interpreter that nobody has asked yet, it is asked now. */
async function match(work: ImageWork, image: BaseImage, record: ImageRecord): Promise<ImageRecord> {
  const { python } = image
  const isAsked = python === null || record.facts.pythons.some(({ path }) => path === python.path)
  const known = isAsked ? record : await askAgain(work, image, record)
  requireMatch(image, known)
  return known
}

function askAgain(work: ImageWork, image: BaseImage, record: ImageRecord): Promise<ImageRecord> {
  return withStagingFolder(work.volume, [], ({ folder }) => {
    const there = readLaidOutImage(imageLayout(work.volume), record.digest)
    return publishProved(work, image, there, { folder, packages: record.packages })
  })
}

function isMatch(image: BaseImage, record: ImageRecord): boolean {
  return mismatches(image, record.facts).length === 0
}

function isRegistry(image: BaseImage): image is RegistryImage {
  return image.source.kind === 'registry'
}
