import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Task } from '../../../src/task/task.ts'
import { askInterpreter } from '../../python/ask-interpreter.ts'
import { findInterpreter } from '../../python/find/find-interpreter.ts'
import type { Placement } from '../placement.ts'

/** On this host, with the interpreter that the task's `python` names. Without a look at its base image. */
export function placeOnHost(
  { python }: Configuration,
  volume: Volume,
  { task }: { readonly task: Pick<Task, 'python'> },
): Placement {
  const target = askInterpreter(volume, findInterpreter(volume, task.python, python, process.env))
  return { target, image: null, python: null }
}
