import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { passSignals } from '../../pass-signals.ts'

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly onStart?: (pid: number) => void
  /** From here on a signal no longer aborts `signal`. */
  readonly takeSignals: () => void
}

/**
 * Runs a program with this process's standard input, output and error, and hands signals on to it. Returns its exit
 * status, 128 + n where signal n ended it. Throws the system's error where it could not be started: some of these Node
 * throws, and some it emits.
 */
export async function runChild(
  program: string,
  args: readonly string[],
  { env, onStart, takeSignals }: ChildOptions,
): Promise<number> {
  const stop = passSignals(name => child.kill(name))
  const child = start()
  if (child.pid !== undefined) onStart?.(child.pid)
  takeSignals()
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => {
        resolve(signal === null ? (code ?? 0) : 128 + constants.signals[signal])
      })
    })
  } finally {
    stop()
  }

  function start() {
    try {
      return spawn(program, args, { stdio: 'inherit', env })
    } catch (error) {
      stop()
      throw error
    }
  }
}
