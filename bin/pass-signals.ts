import { readFileSync } from 'node:fs'

const passed = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGWINCH',
  'SIGTSTP',
  'SIGCONT',
] as const satisfies readonly NodeJS.Signals[]

/** What a terminal sends to every process of its foreground group, the child among them. */
const fromTerminal = new Set<NodeJS.Signals>(['SIGINT', 'SIGQUIT', 'SIGWINCH', 'SIGTSTP'])

/**
 * Hands the signals of this process on to a child; returns what ends that. Called before the child is there, since
 * whoever sees it run may send one at once; none is handed on before the caller gives way to the event loop.
 */
export function passSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const listeners = passed.map(signal => {
    const listener = () => {
      if (!(fromTerminal.has(signal) && isInForeground())) send(signal)
      if (signal === 'SIGTSTP') process.kill(process.pid, 'SIGSTOP')
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
}

/**
 * Whether this process belongs to the foreground group of its terminal, and so does the child: a second
 * Ctrl-C of ours would reach a child that takes two of them for "stop at once". proc_pid_stat(5): after the
 * name in parentheses come state, parent, group, session, terminal, and the terminal's foreground group.
 */
function isInForeground(): boolean {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields[2] === fields[5]
}
