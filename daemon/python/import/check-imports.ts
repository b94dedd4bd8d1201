import { dirname } from 'node:path'
import { execa } from 'execa'
import { EnvdError } from '../../../src/error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { dyingWithParent } from '../../uv/run/process-group.ts'
import { checkProgram } from './check-program.ts'

export interface CheckOptions {
  readonly signal: AbortSignal
  /** Paths on this host of what glibc consists of. */
  readonly glibc: readonly string[]
}

const limitMs = 120_000
/** Failures in the message; the details have all. */
const shown = 8

/**
 * Imports every extension module of a tree, and tries what goes wrong most when a Python is moved, as root and as uid
 * 1000 (as this user where it isn't root). It sees the tree at the container's path, glibc, and nothing else of this
 * host: what holds here holds in every image with a glibc new enough. Errors: PYTHON_IMPORT_INCOMPLETE,
 * TOOL_MISSING, SANDBOX_FAILED, the signal's reason.
 */
export async function checkImports(
  tree: string,
  executable: string,
  { signal, glibc }: CheckOptions,
): Promise<void> {
  const python = `${CONTAINER.python}/${executable}`
  const command = ['bwrap', ...viewOf(tree, glibc), '--', python, '-I', '-B', '-c', checkProgram]
  const [file, args] = dyingWithParent(command[0]!, command.slice(1))
  const { stdout, stderr, code, timedOut } = await execa(file, args, {
    cancelSignal: signal,
    cwd: '/',
    reject: false,
    timeout: limitMs,
    forceKillAfterDelay: 1000,
  })
  signal.throwIfAborted()
  const failed = failuresIn(stdout)
  if (failed === null) throw notRun(code, timedOut ? `no end within ${limitMs / 1000} s` : stderr, tree)
  if (failed.length === 0) return
  const all = [...new Set(failed.map(({ what, why }) => `${what} (${why})`))]
  const list = [...all.slice(0, shown), ...(all.length > shown ? [`${all.length - shown} more`] : [])].join(
    '; ',
  )
  throw new EnvdError(
    'PYTHON_IMPORT_INCOMPLETE',
    `not all of that Python works where it was moved: ${list}`,
    {
      details: { failed },
    },
  )
}

/** Namespaces of its own but for users, since root tries another uid. */
function viewOf(tree: string, glibc: readonly string[]): string[] {
  const readOnly = (from: string, to: string) => ['--ro-bind', from, to]
  const folders = new Set([CONTAINER.python, ...glibc].flatMap(foldersTo))
  return [
    ...[
      '--unshare-ipc',
      '--unshare-net',
      '--unshare-pid',
      '--unshare-uts',
      '--die-with-parent',
      '--new-session',
    ],
    ...['--clearenv', '--setenv', 'PATH', `${CONTAINER.python}/bin`, '--setenv', 'HOME', '/tmp'],
    // Those that bwrap makes on the way to a mount are closed to others.
    ...[...folders].sort().flatMap(folder => ['--dir', folder]),
    ...readOnly(tree, CONTAINER.python),
    ...glibc.flatMap(path => readOnly(path, path)),
    ...['--proc', '/proc', '--dev', '/dev', '--perms', '1777', '--tmpfs', '/tmp', '--chdir', '/'],
  ]
}

function foldersTo(path: string): string[] {
  const folder = dirname(path)
  return folder === '/' ? [] : [...foldersTo(folder), folder]
}

interface Failed {
  readonly what: string
  readonly why: string
  readonly uid: number
}

/** Null where it didn't come to an answer. */
function failuresIn(stdout: string): Failed[] | null {
  try {
    const answers: Record<string, Record<string, string>> = JSON.parse(stdout)
    return Object.entries(answers).flatMap(([uid, failed]) =>
      Object.entries(failed).map(([what, why]) => ({ what, why, uid: Number(uid) })),
    )
  } catch {
    return null
  }
}

function notRun(code: string | undefined, said: string, tree: string): EnvdError {
  if (code === 'ENOENT' || /failed to execute bwrap: No such file/.test(said)) {
    return new EnvdError('TOOL_MISSING', 'bwrap is needed to try that Python as a container sees it', {
      hint: 'Install bubblewrap (Debian: apt install bubblewrap) and import again.',
      details: { tool: 'bwrap' },
    })
  }
  const reason = said.trim().split('\n').slice(-5).join('\n')
  if (/^bwrap: (?!execvp )/m.test(said)) {
    return new EnvdError('SANDBOX_FAILED', `bwrap: ${reason.replace(/^bwrap: /m, '')}`, {
      details: { said: reason },
    })
  }
  return new EnvdError('PYTHON_IMPORT_INCOMPLETE', `that Python does not run where it was moved: ${reason}`, {
    details: { tree, said: reason },
  })
}
