import type { Volume } from '../../cache/volume/open-volume.ts'
import type { PreparedTask } from '../../src/api/prepare.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { DEFAULT_IMAGE } from '../../src/image/default-image.ts'
import type { BaseImage } from '../../src/image/image.ts'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import type { Target } from '../../src/target/target.ts'
import type { Task } from '../../src/task/task.ts'
import { placeInImage } from './image/place-in-image.ts'
import { startPhaseClock } from './phase-clock.ts'
import { type PrepareOptions, preparePlaced } from './prepare-placed.ts'
import { readTask } from './task/read-task.ts'

export interface PreparedInImage {
  /** As it was read. */
  readonly task: Task
  readonly target: Target
  readonly prepared: PreparedTask
  readonly image: BaseImage
  /** True where the task names none: the image that envd brings along. */
  readonly imageIsDefault: boolean
  /** What the container has at CONTAINER.python; null: the image's own interpreter is used. */
  readonly python: ImportedPython | null
}

/**
 * Prepares a task for a container: of its base image, or of the default one. A hit reads the image.toml and never the
 * image. Errors: as prepareTask, those of readImage, IMAGE_OTHER_MACHINE, PYTHON_NOT_FOUND.
 */
export async function prepareInImage(
  configuration: Configuration,
  volume: Volume,
  task: string,
  options: PrepareOptions,
): Promise<PreparedInImage> {
  const clock = startPhaseClock()
  const input = readTask(configuration.lockfiles, task)
  const imageIsDefault = input.task.baseImage === null
  const placement = placeInImage(configuration, volume, input.task, input.task.baseImage ?? DEFAULT_IMAGE)
  const prepared = await preparePlaced({ configuration, volume, input, ...placement }, clock, options)
  const { image, target, python } = placement
  return { task: input.task, prepared, image, imageIsDefault, target, python }
}
