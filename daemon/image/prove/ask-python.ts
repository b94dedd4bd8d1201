import { EnvdError } from '../../../src/error.ts'
import type { PythonInImage } from '../../../src/image/image-facts.ts'
import { questions } from '../../python/questions.ts'
import { runTool } from '../../tool/run-tool.ts'

export interface Inside {
  /** Where the image is unpacked. */
  readonly root: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * What an interpreter says of itself inside an unpacked image; null where it doesn't run or is no Python. It sees
 * the image alone, read-only, without network. Errors: TOOL_MISSING, SANDBOX_FAILED.
 */
export async function askPython(
  { root, environment, signal }: Inside,
  path: string,
): Promise<PythonInImage | null> {
  const { failed, stdout, said } = await runTool({
    tool: 'bwrap',
    purpose: 'to run the interpreter of an image',
    args: [
      ...['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
      ...['--ro-bind', root, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--chdir', '/'],
      ...['--clearenv', '--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'LC_ALL', 'C.UTF-8'],
      ...['--', path, '-I', '-S', '-c', questions],
    ],
    ...{ environment, signal },
  })
  if (!failed) return answerOf(stdout)
  if (!/^bwrap: (?!execvp)/m.test(said)) return null
  throw new EnvdError('SANDBOX_FAILED', `cannot look into an image: ${said}`, { details: { said } })
}

function answerOf(stdout: string): PythonInImage | null {
  try {
    const { interpreter, version, abi, prefix } = JSON.parse(stdout) as Record<string, unknown>
    const all = [interpreter, version, abi, prefix]
    if (!all.every(one => typeof one === 'string')) return null
    const [path = '', ...rest] = all as string[]
    return { path, version: rest[0]!, abi: rest[1]!, prefix: rest[2]! }
  } catch {
    return null
  }
}
