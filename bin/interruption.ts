import { EnvdError } from '../src/error.ts'

/** Turns the signals that end a process into an abort, so that a command can clean up behind itself. */
export interface Interruption {
  readonly signal: AbortSignal
  /** From here on signals are someone else's affair. */
  stop(): void
}

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first signal aborts; the second ends the process at once with status 130. */
export function listenForInterruption(): Interruption {
  const controller = new AbortController()
  const listener = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort(new EnvdError('INTERRUPTED', `stopped by ${signal}`))
  }
  for (const signal of ending) process.on(signal, listener)
  return {
    signal: controller.signal,
    stop() {
      for (const signal of ending) process.off(signal, listener)
    },
  }
}
