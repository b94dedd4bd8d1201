import { createHash } from 'node:crypto'
import { damagedBlobs } from '../../../cache/image/damaged-blobs.ts'
import { findImage } from '../../../cache/image/find-image.ts'
import { damagedDebs, keptList } from '../../../cache/image/kept-debs.ts'
import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { imageLayout } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { CheckedImage } from '../../../src/api/images.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { asEnvdError } from '../../../src/error.ts'
import type { DebianImage } from '../../../src/image/debian-packages.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { type ImageRecord, isOfSource } from '../../../src/image/image-record.ts'
import type { WorkOptions } from '../../door.ts'
import type { ImageWork } from '../../image/image-work.ts'
import { proveImage } from '../../image/prove/prove-image.ts'
import { imageNames, readImage } from '../../image/read/read-image.ts'
import { requireMatch } from '../../image/read/require-match.ts'
import { readLaidOutImage } from '../../image/staged-image.ts'
import { withImageLock } from '../../image/with-image-lock.ts'
import { signalOf } from '../../signal-of.ts'

/**
 * Reads the whole content of images (empty: of all that are on the volume) and holds it against record, digests
 * and image.toml; what they were built from too. Errors: VOLUME_NOT_OWNER, TOOL_MISSING, SANDBOX_FAILED.
 */
export async function checkImages(
  configuration: Configuration,
  volume: Volume,
  images: readonly string[],
  options: WorkOptions,
): Promise<CheckedImage[]> {
  const signal = signalOf(options)
  requireOwner(volume)
  const there = () => imageNames(configuration).filter(name => findImage(volume, name) !== null)
  const checked: CheckedImage[] = []
  for (const name of images.length === 0 ? there() : new Set(images)) {
    const report: ImageWork['report'] = progress => options.onEvent?.({ task: name, ...progress })
    const work = { volume, environment: process.env, signal, report }
    const image = readImage(configuration, name)
    checked.push(await withImageLock(work, name, () => checkImage(work, image)))
    report({ phase: 'total', message: 'done' })
  }
  return checked
}

async function checkImage(work: ImageWork, image: BaseImage): Promise<CheckedImage> {
  const record = findImage(work.volume, image.name)
  if (record === null) {
    return { image: image.name, digest: null, hashed: 0, problems: ['it is not on the volume'] }
  }
  const damaged = await damagedBlobs(imageLayout(work.volume), record.blobs, {
    signal: work.signal,
    onProgress: (done, total) =>
      work.report({ phase: 'hash', message: 'hashing', done, total, unit: 'bytes' }),
  })
  const problems = damaged.map(({ digest, problem }) => `blob ${digest}: ${problem}`)
  if (!isOfSource(record, image)) problems.push('image.toml names another source than it came from')
  problems.push(...problemOf(() => requireMatch(image, record)))
  if (damaged.length === 0) problems.push(...(await contentProblems(work, image, record)))
  problems.push(...(await packageProblems(work, image, record)))
  return { image: image.name, digest: record.digest, hashed: record.bytes.packed, problems }
}

/** What was found in the image when it came is found again. */
async function contentProblems(work: ImageWork, image: BaseImage, record: ImageRecord): Promise<string[]> {
  const there = readLaidOutImage(imageLayout(work.volume), record.digest)
  const { facts } = await withStagingFolder(work.volume, [], ({ folder }) =>
    proveImage(work, image, there, folder),
  )
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
  const { blobs, manifest } = there
  return [
    ...(same(blobs, record.blobs) && manifest.config.digest === record.config
      ? []
      : ['its manifest has other blobs than its record']),
    ...(same(facts, record.facts)
      ? []
      : [`it has ${JSON.stringify(facts)}, its record says ${JSON.stringify(record.facts)}`]),
  ]
}

/** An image that was pulled has no packages. */
async function packageProblems(
  { volume, signal }: ImageWork,
  image: BaseImage,
  record: ImageRecord,
): Promise<string[]> {
  if (record.packages === null || image.source.kind !== 'debian') return []
  const kept = keptList(volume, image as DebianImage)
  const digest = kept && `sha256:${createHash('sha256').update(kept.text).digest('hex')}`
  if (kept === null || digest !== record.packages) {
    return ['the list of the packages that it was built from is missing or is another one']
  }
  const damaged = await damagedDebs(volume, kept.list.debs, signal)
  return damaged.map(({ file }) => `package ${file}, which it was built from, is missing or damaged`)
}

function problemOf(check: () => void): string[] {
  try {
    check()
    return []
  } catch (error) {
    return [asEnvdError(error).message.replace(/^[^:]*: /, '')]
  }
}
