import type { ChildProcess } from 'node:child_process'
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

/** Hands the signals of this process on to `child`; returns what ends that. */
export function passSignals(child: ChildProcess): () => void {
  const listeners = passed.map(signal => {
    const listener = () => {
      if (!(fromTerminal.has(signal) && isInForeground())) child.kill(signal)
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
