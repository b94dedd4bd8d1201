import { accessSync, constants } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const graceMs = 2000
const pollMs = 20

/** Ends all processes of a group, politely at first, and returns when none is left. */
export async function endGroup(group: number): Promise<void> {
  signal(group, 'SIGTERM')
  for (const end = Date.now() + graceMs; Date.now() < end && signal(group, 0); ) await sleep(pollMs)
  while (signal(group, 'SIGKILL')) await sleep(pollMs)
}

/** False where the group has no process. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name)
  } catch {
    return false
  }
}

const setpriv = '/usr/bin/setpriv'

/**
 * The command in a form that the kernel kills when this process ends, however it ends: a killed build must
 * not go on writing. Without setpriv (util-linux 2.33, in every Debian) the command is as it was.
 */
export function dyingWithParent(file: string, args: readonly string[]): [string, readonly string[]] {
  try {
    accessSync(setpriv, constants.X_OK)
  } catch {
    return [file, args]
  }
  return [setpriv, ['--pdeathsig', 'KILL', '--', file, ...args]]
}
