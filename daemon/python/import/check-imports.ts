import { dirname } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { runTool } from '../../tool/run-tool.ts'
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
  const limit = AbortSignal.timeout(limitMs)
  const { stdout, said } = await runTool({
    ...{ tool: 'bwrap', purpose: 'to try that Python as a container sees it', environment: process.env },
    args: [...viewOf(tree, glibc), '--', python, '-I', '-B', '-c', checkProgram],
    signal: AbortSignal.any([signal, limit]),
  }).catch(error => {
    if (error !== limit.reason) throw error
    return { stdout: '', said: `no end within ${limitMs / 1000} s` }
  })
  const failed = failuresIn(stdout)
  if (failed === null) throw notRun(said, tree)
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

function notRun(said: string, tree: string): EnvdError {
  const reason = said.split('\n').slice(-5).join('\n')
  const details = { tree, said: reason }
  // What bwrap says of itself, unless it is that the interpreter can't be executed.
  if (/^bwrap: (?!execvp )/m.test(said)) return new EnvdError('SANDBOX_FAILED', reason, { details })
  return new EnvdError('PYTHON_IMPORT_INCOMPLETE', `that Python does not run where it was moved: ${reason}`, {
    details,
  })
}
