import { findImage } from '../../../cache/image/find-image.ts'
import { imageLayout } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { mismatches } from '../../../src/image/image-facts.ts'
import { type ImageRecord, isOfSource } from '../../../src/image/image-record.ts'
import { hexOf } from '../../../src/image/oci.ts'
import type { MountInput } from '../../../src/mount/plan-mounts.ts'
import { type MountForm, takesLocalImage } from '../../../src/mount/render/mount-form.ts'
import type { PrepareOptions } from '../../prepare/prepare-placed.ts'

/**
 * The image as a plan names it. It is brought to the volume where the engine takes it from there, or only the image
 * itself can say its PATH: one that is built here sets the usual one. Errors: those of ensureImage.
 */
export async function imageOfPlan(
  configuration: Configuration,
  volume: Volume,
  image: BaseImage,
  form: MountForm,
  options: Pick<PrepareOptions, 'signal' | 'report'>,
): Promise<MountInput['image']> {
  const { source, name } = image
  const registry = source.kind === 'registry' ? source.reference : null
  const isNeeded = registry !== null || takesLocalImage(form)
  const record = findFitting(volume, image) ?? (isNeeded ? await bring() : null)
  return {
    ...{ name, layout: imageLayout(volume), registry },
    id: record && hexOf(record.config),
    path: record?.path ?? null,
  }

  async function bring(): Promise<ImageRecord> {
    const { ensureImage } = await import('../../image/ensure-image.ts')
    return (await ensureImage(configuration, volume, name, options)).record
  }
}

function findFitting(volume: Volume, image: BaseImage): ImageRecord | null {
  const record = findImage(volume, image.name)
  if (record === null || !isOfSource(record, image)) return null
  return mismatches(image, record.facts).length === 0 ? record : null
}
