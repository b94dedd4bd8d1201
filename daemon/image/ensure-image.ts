import type { Volume } from '../../cache/volume/open-volume.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { BaseImage } from '../../src/image/image.ts'
import type { ImageRecord } from '../../src/image/image-record.ts'
import type { ReportProgress } from '../prepare/progress.ts'
import { findOrBringImage } from './bring-image.ts'
import { readImage } from './read/read-image.ts'

export interface EnsureOptions {
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/** A base image by name, ready for an engine: pulled or built on first use. Errors: of readImage and bringImage. */
export async function ensureImage(
  configuration: Configuration,
  volume: Volume,
  name: string,
  { signal, report }: EnsureOptions,
): Promise<{ readonly image: BaseImage; readonly record: ImageRecord }> {
  const image = readImage(configuration, name)
  const work = { volume, environment: process.env, signal, report }
  return { image, record: await findOrBringImage(work, image) }
}
