import { execa } from 'execa'
import { EnvdError } from '../../src/error.ts'
import { dyingWithParent, endGroup } from './process-group.ts'
import { redact } from './redact.ts'

export interface ToolCall {
  readonly tool: string
  readonly args: readonly string[]
  /** What it is needed for: `to copy images from registries`. */
  readonly purpose: string
  readonly cwd?: string
  /** All variables it sees. */
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** Each line it says on stderr. */
  readonly onLine?: (line: string) => void
}

export interface ToolOutcome {
  readonly failed: boolean
  /** Whole, as it was. */
  readonly stdout: string
  /** The end of what it said on stderr, credentials redacted. */
  readonly said: string
}

const keptLines = 200

/**
 * Runs a program to its end, and everything it started. It dies with this process. Returns also when it fails.
 * Errors: TOOL_MISSING; the signal's reason, after the whole process group has ended.
 */
export async function runTool(call: ToolCall): Promise<ToolOutcome> {
  const { tool, signal } = call
  signal.throwIfAborted()
  const lines: string[] = []
  const hear = (raw: string) => {
    const line = redact(raw)
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
    call.onLine?.(line)
  }
  const [file, args] = dyingWithParent(tool, call.args)
  const child = execa(file, args, {
    cwd: call.cwd ?? '/',
    env: { ...call.environment, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
    extendEnv: false,
    // A group of its own: the terminal's Ctrl-C reaches it through us, and with it all that it started.
    detached: true,
    stdin: 'ignore',
    buffer: { stdout: true, stderr: false },
    stripFinalNewline: false,
    reject: false,
  })
  const group = child.pid
  let ending: Promise<void> | undefined
  const end = () => {
    if (group !== undefined) ending ??= endGroup(group)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    for await (const line of child.iterable({ from: 'stderr' })) hear(line)
  } catch {
    // The outcome below says why.
  }
  const outcome = await child
  signal.removeEventListener('abort', end)
  if (group !== undefined) await (ending ?? endGroup(group))
  signal.throwIfAborted()
  if (group === undefined || isNotFound(outcome.exitCode, lines)) throw missing(call, outcome.cause)
  if (outcome.signal !== undefined) hear(`${tool} was ended by ${outcome.signal}`)
  return { failed: outcome.failed, stdout: outcome.stdout, said: lines.join('\n').trim() }
}

/** As setpriv says of a program that isn't there. */
function isNotFound(exitCode: number | undefined, lines: readonly string[]): boolean {
  return exitCode === 127 && lines.some(line => line.startsWith('setpriv: failed to execute'))
}

function missing({ tool, purpose }: ToolCall, cause: unknown): EnvdError {
  return new EnvdError('TOOL_MISSING', `${tool} is needed ${purpose}`, { details: { tool }, cause })
}
