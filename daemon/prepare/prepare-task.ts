import type { Volume } from '../../cache/volume/open-volume.ts'
import type { PreparedTask } from '../../src/api/prepare.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { EnvdError } from '../../src/error.ts'
import { startPhaseClock } from './phase-clock.ts'
import { type PrepareOptions, preparePlaced } from './prepare-placed.ts'
import { placeOnHost } from './task/place-on-host.ts'
import { readTask } from './task/read-task.ts'

/**
 * `envd prepare <task>`, from its folder to the sealed environment: read the task and its lock, ask the
 * interpreter, and where the key that follows from these is known and ready, that is all. Otherwise select the
 * closure, name the key, build once or wait for who builds. A task that names a base image is prepared for it.
 */
export async function prepareTask(
  configuration: Configuration,
  volume: Volume,
  name: string,
  options: PrepareOptions,
): Promise<PreparedTask> {
  const clock = startPhaseClock()
  const input = readTask(configuration.lockfiles, name)
  const { baseImage } = input.task
  if (baseImage !== null) {
    if (options.onHost) throw needsContainer(name, baseImage)
    const { placeInImage } = await import('./image/place-in-image.ts')
    const placement = placeInImage(configuration, volume, input.task, baseImage)
    return preparePlaced({ configuration, volume, input, ...placement }, clock, options)
  }
  const placement = placeOnHost(configuration, volume, input)
  return preparePlaced({ configuration, volume, input, ...placement }, clock, options)
}

function needsContainer(task: string, image: string): EnvdError {
  return new EnvdError(
    'TASK_NEEDS_CONTAINER',
    `${task} is prepared for the base image ${image}, whose interpreter this host does not have`,
    {
      details: { task, image },
      hint: `Run it in a container: \`envd run ${task} --in podman -- …\`, or see \`envd mount ${task}\`.`,
    },
  )
}
