import type { PreparedTask, PrepareOutcome } from '../../src/api/prepare.ts'
import { EnvdError, gravestExit } from '../../src/error.ts'
import type { Invocation } from '../arguments/invocation.ts'
import { preparedTasksText, preparedText } from '../render/result/task/prepared.ts'
import type { Context, Verb } from '../verb.ts'

export type Prepared = PreparedTask | { readonly tasks: readonly PrepareOutcome[] }

export const verb: Verb<Prepared> = {
  async run(invocation, context) {
    const door = await context.door()
    const all = invocation.options.has('all')
    const tasks = all ? door.taskNames() : [...new Set(invocation.arguments)]
    checkTasks(invocation, all)
    const dryRun = invocation.options.has('dry-run')
    const outcomes = await door.prepare({ tasks, ...(dryRun && { dryRun }) }, given(context))
    context.signal.throwIfAborted()
    const [first] = outcomes
    if (all || tasks.length > 1 || first === undefined) return { tasks: outcomes }
    if (first.ok) return first.result
    throw first.error
  },
  text: (prepared, style) =>
    'tasks' in prepared ? preparedTasksText(prepared.tasks, style) : preparedText(prepared, style),
  failure(prepared) {
    const tasks = failuresOf(prepared).map(({ task }) => task)
    return tasks.length === 0
      ? null
      : new EnvdError('SOME_FAILED', `not prepared: ${tasks.join(', ')}`, { details: { tasks } })
  },
  exitStatus(prepared) {
    const codes = failuresOf(prepared).map(({ error }) => error.code)
    return codes.length === 0 ? 0 : gravestExit(codes)
  },
}

function failuresOf(prepared: Prepared) {
  return 'tasks' in prepared ? prepared.tasks.filter(outcome => !outcome.ok) : []
}

function checkTasks(invocation: Invocation, all: boolean): void {
  const named = invocation.arguments.length > 0
  if (all && named) throw new EnvdError('USAGE', '--all means every task; name none beside it')
  if (!all && !named) throw new EnvdError('USAGE', 'name a task to prepare, or all of them with --all')
}

function given({ signal, onEvent }: Context): Pick<Context, 'signal' | 'onEvent'> {
  return { signal, onEvent }
}
