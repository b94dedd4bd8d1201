import { findImage } from '../../../cache/image/find-image.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ImageRow } from '../../../src/api/images.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { asEnvdError } from '../../../src/error.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { type ImageRecord, isOfSource } from '../../../src/image/image-record.ts'
import { imageNames, readImage } from '../../image/read/read-image.ts'
import { requireMatch } from '../../image/read/require-match.ts'
import { tasksByImage } from './tasks-by-image.ts'

/** All base images, by name; without a look at their content. `volume` is null where there is none. */
export function listImages(configuration: Configuration, volume: Volume | null): ImageRow[] {
  const tasks = tasksByImage(configuration.lockfiles)
  const names = new Set([...imageNames(configuration), ...tasks.keys()])
  return [...names].sort().map(name => row(configuration, volume, name, tasks.get(name) ?? []))
}

function row(
  configuration: Configuration,
  volume: Volume | null,
  name: string,
  tasks: readonly string[],
): ImageRow {
  try {
    const image = readImage(configuration, name)
    const record = volume && findImage(volume, name)
    return { image: name, ...state(image, record), source: sourceOf(image), ...parts(record), tasks }
  } catch (error) {
    const problem = asEnvdError(error).message
    return { image: name, state: 'invalid', source: null, ...parts(null), tasks, problem }
  }
}

function state(image: BaseImage, record: ImageRecord | null): Pick<ImageRow, 'state' | 'problem'> {
  if (record === null) return { state: 'absent' }
  if (!isOfSource(record, image)) return { state: 'changed' }
  try {
    requireMatch(image, record)
    return { state: 'ready' }
  } catch (error) {
    return { state: 'mismatch', problem: asEnvdError(error).message }
  }
}

function parts(record: ImageRecord | null): Pick<ImageRow, 'digest' | 'bytes'> {
  return { digest: record?.digest ?? null, bytes: record?.bytes ?? null }
}

function sourceOf({ source }: BaseImage): string {
  return source.kind === 'registry' ? source.reference : `Debian ${source.suite}`
}
