import { EnvdError } from '../../../src/error.ts'
import type { Invocation } from '../../arguments/invocation.ts'
import type { Context } from '../../verb.ts'
import { runChild } from './run-child.ts'

/** Runs the command in the environment on this host, which it keeps for as long as it runs. */
export async function runOnHost(
  { arguments: [task = ''], rest: [command = '', ...args] }: Invocation,
  context: Context,
): Promise<number> {
  const door = await context.door()
  const { signal, onEvent } = context
  const { variables, handTo, release } = await door.use(task, { signal, onEvent })
  try {
    await context.endProgress()
    signal.throwIfAborted()
    const env = environmentWith(variables)
    return await runChild(command, args, { env, onStart: handTo, takeSignals: context.takeSignals })
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException
    throw syscall?.startsWith('spawn') ? notStarted(command, error as NodeJS.ErrnoException) : error
  } finally {
    release()
  }
}

function environmentWith(variables: Readonly<Record<string, string | null>>): NodeJS.ProcessEnv {
  const unset = Object.keys(variables).filter(name => variables[name] === null)
  const env = { ...process.env, ...variables } as NodeJS.ProcessEnv
  for (const name of unset) delete env[name]
  return env
}

function notStarted(command: string, cause: NodeJS.ErrnoException): EnvdError {
  const reasons: Record<string, string> = {
    ENOENT: 'there is no such command in the environment or on PATH',
    EACCES: 'it may not be executed',
    ENOEXEC: 'it is neither a program nor a script with a #! line',
    E2BIG: 'its arguments and the environment variables are too long',
  }
  const reason = reasons[cause.code ?? ''] ?? cause.message
  return new EnvdError('COMMAND_NOT_FOUND', `cannot run ${command}: ${reason}`, {
    details: { command },
    cause,
  })
}
