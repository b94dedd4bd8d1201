/** What an engine's `stop` grants a container that was asked to end. */
const graceMs = 10_000

const ending = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** One Ctrl-C may mean something else to the command. */
const patience = 3

export interface StopWatch {
  /** Whether a signal that ends a process came. */
  heard(): boolean
  /** Stops watching. Where a signal came, nothing of the container is left afterwards. */
  end(): Promise<void>
}

/**
 * Sees to it that a container ends which was asked to. The first process of a pid namespace ignores each signal it has no
 * handler for (pid_namespaces(7)), so passing signals on may have no effect: ten seconds after SIGTERM or SIGHUP it is
 * killed, and at the third SIGINT.
 */
export function watchForStop(kill: () => Promise<void>): StopWatch {
  let heard = 0
  let timer: NodeJS.Timeout | undefined
  const listener = (signal: (typeof ending)[number]) => {
    heard++
    if (signal !== 'SIGINT') timer ??= setTimeout(kill, graceMs)
    else if (heard >= patience) void kill()
  }
  for (const signal of ending) process.on(signal, listener)
  return {
    heard: () => heard > 0,
    async end() {
      for (const signal of ending) process.off(signal, listener)
      clearTimeout(timer)
      if (heard > 0) await kill()
    },
  }
}
