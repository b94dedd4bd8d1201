import { readFileSync } from 'node:fs'
import type { Check } from '../../../src/api/doctor.ts'
import { checked, notChecked, ok, warning } from './check.ts'

/** What a build opens at once, with room to spare: threads, pipes, downloads, SQLite. */
const enoughFiles = 1024

/** Open files this process may have at most (getrlimit(2)); infinite where nothing limits it. */
export function hardFileLimit(): number {
  const [, limit] = /^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}

export function checkLimits(): Promise<Check[]> {
  return Promise.all([
    checked('open files', () => {
      const limit = hardFileLimit()
      if (limit >= enoughFiles) return ok('open files', `at most ${limit}`)
      return warning(
        'open files',
        `at most ${limit}: large builds may end for want of more`,
        `Raise the hard limit to ${enoughFiles} or more: \`ulimit -Hn\`, limits.conf(5), LimitNOFILE= of a unit.`,
      )
    }),
    checked('protected links', () => {
      const value = readProtection()
      if (value === null)
        return notChecked('protected links', '/proc/sys/fs/protected_hardlinks is not to be read')
      if (value) return ok('protected links', "nobody can link another user's files")
      return warning(
        'protected links',
        'fs.protected_hardlinks is 0: any user can link files of the volume, and keep what was removed',
        'sysctl -w fs.protected_hardlinks=1, and in /etc/sysctl.d for the next boot.',
      )
    }),
  ])
}

/** proc_sys_fs(5). */
function readProtection(): boolean | null {
  try {
    return readFileSync('/proc/sys/fs/protected_hardlinks', 'utf8').trim() !== '0'
  } catch {
    return null
  }
}
