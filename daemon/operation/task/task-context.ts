import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import type { WorkOptions } from '../../door.ts'
import type { PrepareContext } from '../../prepare/context.ts'
import { placeTask } from '../../prepare/image/place-task.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import { signalOf } from '../../signal-of.ts'

/** A task as it is now, ready to be asked for its key. */
export function taskContext(
  configuration: Configuration,
  volume: Volume,
  name: string,
  options: WorkOptions = {},
): PrepareContext {
  const input = readTask(configuration.lockfiles, name)
  return {
    ...{ configuration, volume, input },
    ...placeTask(configuration, volume, input.task),
    signal: signalOf(options),
    report: progress => options.onEvent?.({ task: name, ...progress }),
  }
}

export function notReady(task: string): EnvdError {
  return new EnvdError('ENVIRONMENT_NOT_READY', `the environment of ${task} is not ready`, {
    hint: `Run \`envd prepare ${task}\` first.`,
    details: { task },
  })
}
