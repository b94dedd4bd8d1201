import { closeSync, openSync, writeSync } from 'node:fs'
import { execa } from 'execa'
import { machineError, onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { dyingWithParent, endGroup } from '../../tool/process-group.ts'
import { redact } from '../../tool/redact.ts'
import { secretVariables, uvEnvironment } from './uv-environment.ts'
import type { UvSession } from './uv-session.ts'

export interface UvCall {
  readonly args: readonly string[]
  /** Variables that name the index; default: the session's indexes. */
  readonly index?: Readonly<Record<string, string>>
  /** The one uv.toml that is read; default: none. */
  readonly configuration?: string
  readonly onLine?: (line: string) => void
}

export interface UvOutcome {
  readonly failed: boolean
  /** What it said on both streams, credentials redacted: the last lines, where there were very many. */
  readonly output: string
}

const keptLines = 2000

/**
 * Runs uv to its end. Returns also when it fails; throws INTERRUPTED when the session's signal aborts (after
 * the whole process group has ended), UV_UNAVAILABLE when it can't be started.
 */
export async function runUv(session: UvSession, call: UvCall): Promise<UvOutcome> {
  session.signal.throwIfAborted()
  const secrets = [...session.index.secrets, ...secretVariables(session.environment)]
  const log = onMachine(session.logFile, () => openSync(session.logFile, 'a', 0o600))
  const lines: string[] = []
  const hear = (raw: string) => {
    const line = redact(raw, secrets)
    lines.push(line)
    if (lines.length > keptLines) lines.shift()
    tryWrite(log, `${line}\n`)
    call.onLine?.(line)
  }
  try {
    const configuration =
      call.configuration === undefined ? ['--no-config'] : ['--config-file', call.configuration]
    const allArgs = [...call.args, ...configuration]
    tryWrite(log, `$ uv ${allArgs.join(' ')}\n`)
    const [file, args] = dyingWithParent(session.uv.path, allArgs)
    const child = execa(file, args, {
      // No project's pyproject.toml or uv.toml lies on the way up from here.
      cwd: '/',
      env: uvEnvironment(session, call.index ?? session.index.environment),
      extendEnv: false,
      // A group of its own: the terminal's Ctrl-C reaches uv through us, and with it all that uv started.
      detached: true,
      stdin: 'ignore',
      all: true,
      buffer: false,
      reject: false,
    })
    const group = child.pid
    let ending: Promise<void> | undefined
    const end = () => {
      if (group !== undefined) ending ??= endGroup(group)
    }
    session.signal.addEventListener('abort', end, { once: true })
    try {
      for await (const line of child.iterable({ from: 'all' })) hear(line)
    } catch {
      // The outcome below says why.
    }
    const outcome = await child
    session.signal.removeEventListener('abort', end)
    if (group !== undefined) await (ending ?? endGroup(group))
    session.signal.throwIfAborted()
    if (group === undefined || notStarted.has(outcome.exitCode)) {
      throw cannotStart(session.uv.path, lines.at(-1), outcome.cause)
    }
    if (outcome.signal !== undefined) hear(`uv was ended by ${outcome.signal}`)
    return { failed: outcome.failed, output: lines.join('\n') }
  } finally {
    closeSync(log)
  }
}

/** Of setpriv, as of any program that starts another: not executable, not found. */
const notStarted: ReadonlySet<number | undefined> = new Set([126, 127])

function cannotStart(path: string, said: string | undefined, cause: unknown): EnvdError {
  return new EnvdError('UV_UNAVAILABLE', `cannot start ${path}`, { details: { path, said }, cause })
}

/** A full disk must not hide what uv says about it. */
function tryWrite(file: number, text: string): void {
  try {
    writeSync(file, text)
  } catch (error) {
    if ((machineError(error, '') as EnvdError).code !== 'DISK_FULL') throw error
  }
}
