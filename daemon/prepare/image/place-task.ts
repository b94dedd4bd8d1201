import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Task } from '../../../src/task/task.ts'
import type { Placement } from '../placement.ts'
import { placeOnHost } from '../task/place-on-host.ts'
import { placeInImage } from './place-in-image.ts'

/** Where `envd prepare` prepares a task for: its base image, or this host. */
export function placeTask(
  configuration: Configuration,
  volume: Volume,
  task: Pick<Task, 'python' | 'baseImage'>,
): Placement {
  if (task.baseImage !== null) return placeInImage(configuration, volume, task, task.baseImage)
  return placeOnHost(configuration, volume, { task })
}
