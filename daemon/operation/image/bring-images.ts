import { findImage } from '../../../cache/image/find-image.ts'
import { imageLayout } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { BringImagesRequest, BroughtImageRow, ImageOutcome } from '../../../src/api/images.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { asEnvdError, EnvdError } from '../../../src/error.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { imageReference } from '../../../src/image/image-record.ts'
import { hexOf } from '../../../src/image/oci.ts'
import type { WorkOptions } from '../../door.ts'
import { bringImage } from '../../image/bring-image.ts'
import { imageNames, readImage } from '../../image/read/read-image.ts'
import { signalOf } from '../../signal-of.ts'

/** Pulls or builds images one after the other; one that fails doesn't stop the others. */
export async function bringImages(
  configuration: Configuration,
  volume: Volume,
  { how, images, update = false }: BringImagesRequest,
  options: WorkOptions,
): Promise<ImageOutcome[]> {
  const signal = signalOf(options)
  const outcomes: ImageOutcome[] = []
  for (const name of images.length === 0 ? namesOf(configuration, how) : new Set(images)) {
    const report = (event: object) => options.onEvent?.({ task: name, phase: 'wait', message: '', ...event })
    try {
      const image = readImage(configuration, name)
      requireKind(image, how)
      const result = await bringOne(image, update, { volume, environment: process.env, signal, report })
      outcomes.push({ image: name, ok: true, result })
    } catch (error) {
      if (signal.aborted) throw new EnvdError('INTERRUPTED', 'interrupted', { cause: error })
      outcomes.push({ image: name, ok: false, error: asEnvdError(error).toJSON() })
    } finally {
      report({ phase: 'total', message: 'done' })
    }
  }
  return outcomes
}

async function bringOne(
  image: BaseImage,
  update: boolean,
  work: Parameters<typeof bringImage>[0],
): Promise<BroughtImageRow> {
  const started = performance.now()
  const before = findImage(work.volume, image.name)?.digest ?? null
  const { record, changed } = await bringImage(work, image, { update })
  const { name, digest, config, bytes } = record
  return {
    ...{ image: name, digest, before, changed, bytes },
    id: hexOf(config),
    reference: imageReference(imageLayout(work.volume), record),
    seconds: (performance.now() - started) / 1000,
  }
}

function namesOf(configuration: Configuration, how: BringImagesRequest['how']): string[] {
  return imageNames(configuration).filter(name => howTo(readImage(configuration, name)) === how)
}

function requireKind(image: BaseImage, how: BringImagesRequest['how']): void {
  const right = howTo(image)
  if (right === how) return
  const from = right === 'pull' ? 'a registry' : 'Debian packages'
  throw new EnvdError('USAGE', `${image.name} comes from ${from}`, {
    hint: `Run \`envd image ${right} ${image.name}\`.`,
  })
}

function howTo({ source }: BaseImage): BringImagesRequest['how'] {
  return source.kind === 'registry' ? 'pull' : 'build'
}
