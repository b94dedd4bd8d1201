import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { EnvironmentInUse } from '../../src/api/operations.ts'
import { EnvdError } from '../../src/error.ts'
import { passSignals } from '../pass-signals.ts'
import type { Verb } from '../verb.ts'

/** The exit status of the command, 128 + n where signal n ended it. Node tells no real-time signals: 0 for these. */
export const verb: Verb<number> = {
  async run({ arguments: [task = ''], rest: [command = '', ...args] }, context) {
    const door = await context.door()
    const { signal, onEvent } = context
    const environment = await door.use(task, { signal, onEvent })
    try {
      await context.endProgress()
      signal.throwIfAborted()
      return await runCommand(command, args, environment, context.takeSignals)
    } finally {
      environment.release()
    }
  },
  text: null,
  exitStatus: status => status,
}

function runCommand(
  command: string,
  args: readonly string[],
  { variables, handTo }: EnvironmentInUse,
  takeSignals: () => void,
): Promise<number> {
  const unset = Object.keys(variables).filter(name => variables[name] === null)
  const env = { ...process.env, ...variables } as NodeJS.ProcessEnv
  for (const name of unset) delete env[name]
  return new Promise((resolve, reject) => {
    const stop = passSignals(name => child.kill(name))
    const child = start(command, args, env)
    if (child.pid !== undefined) handTo(child.pid)
    takeSignals()
    child.once('error', cause => {
      stop()
      reject(notStarted(command, cause as NodeJS.ErrnoException))
    })
    child.once('exit', (code, signal) => {
      stop()
      resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal])
    })
  })
}

/** Some of what keeps a command from starting Node throws, and some it emits. */
function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawn(command, args, { stdio: 'inherit', env })
  } catch (cause) {
    throw notStarted(command, cause as NodeJS.ErrnoException)
  }
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
