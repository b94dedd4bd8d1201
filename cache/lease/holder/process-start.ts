import { readFileSync } from 'node:fs'
import { hasErrno } from '../../disk/machine-error.ts'

/**
 * When a process started, in clock ticks since boot (proc_pid_stat(5), field 22); with the pid it names the
 * process, as pids are used again. `gone`: no such process, or a zombie. `hidden`: there is one, but this
 * user may not see it (hidepid).
 */
export function processStart(pid: number): string | 'gone' | 'hidden' {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ESRCH')) return exists(pid) ? 'hidden' : 'gone'
    if (hasErrno(error, 'EACCES', 'EPERM')) return 'hidden'
    throw error
  }
  return startField(text)
}

/** Field 2 is the program's name in parentheses and may itself hold spaces and parentheses: the last `)` ends it. */
export function startField(stat: string): string | 'gone' {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const state = fields[0]
  const start = fields[22 - 3]
  if (state === undefined || start === undefined) throw new Error(`not a /proc/<pid>/stat: ${stat}`)
  return state === 'Z' || state === 'X' ? 'gone' : start
}

function exists(pid: number): boolean {
  if (pid < 1) return false // kill(2) takes 0 and less for groups of processes
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasErrno(error, 'EPERM')
  }
}
