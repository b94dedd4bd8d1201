import { listPythons } from '../../../cache/python/list-pythons.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { choosePython } from '../../../src/image/choose-python.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import { imageTarget } from '../../../src/image/image-target.ts'
import type { Task } from '../../../src/task/task.ts'
import { readImage } from '../../image/read/read-image.ts'
import { refuseOtherMachine } from '../../image/read/refuse-other-machine.ts'
import type { Placement } from '../placement.ts'
import { noPythonFor } from './no-python-for.ts'

export interface InImage extends Placement {
  readonly image: BaseImage
}

/**
 * The target of a task in a container of the image: the image's own interpreter where it fits, else the newest that
 * was taken in and fits. Errors: those of readImage, IMAGE_OTHER_MACHINE, PYTHON_NOT_FOUND.
 */
export function placeInImage(
  configuration: Configuration,
  volume: Volume,
  { python: wanted }: Pick<Task, 'python'>,
  name: string,
): InImage {
  const image = readImage(configuration, name)
  refuseOtherMachine(image)
  const chosen = choosePython(image, wanted, () => listPythons(volume))
  if (chosen === null) throw noPythonFor(configuration, volume, image, wanted)
  return {
    image,
    target: imageTarget(image, chosen),
    python: chosen.kind === 'imported' ? chosen.python : null,
  }
}
