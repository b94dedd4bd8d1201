import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Target } from '../../../src/target/target.ts'
import type { Task } from '../../../src/task/task.ts'
import { askInterpreter } from '../../python/ask-interpreter.ts'
import { findInterpreter } from '../../python/find-interpreter.ts'
import type { Placement } from '../placement.ts'

/** Without a look at the task's base image. */
export function placeOnHost(
  configuration: Configuration,
  volume: Volume,
  task: { readonly task: Pick<Task, 'python'> },
): Placement {
  return { target: targetOf(configuration, volume, task), image: null, python: null }
}

/** A task without a base image is prepared for this host and the interpreter its `python` names. */
export function targetOf(
  { python }: Configuration,
  volume: Volume,
  { task }: { readonly task: Pick<Task, 'python'> },
): Target {
  return askInterpreter(volume, findInterpreter(volume, task.python, python, process.env))
}
