import { existsSync } from 'node:fs'
import { execa } from 'execa'
import { machineError } from '../../cache/disk/machine-error.ts'
import { EnvdError } from '../../src/error.ts'
import type { Uncompiled } from '../../src/report/package-record.ts'
import { isPlain, unescapeName } from '../../src/tree/escaped-name.ts'
import { STORE_MTIME } from '../../src/tree/store-mtime.ts'
import { dyingWithParent } from '../tool/process-group.ts'
import { bytecodeProgram } from './bytecode-program.ts'

export interface PackageBytecode {
  /** Paths of the .pyc files, escaped, in the order of the modules. A wheel may have listed some of them. */
  readonly compiled: readonly string[]
  /** Modules without bytecode, and why, in one line each. */
  readonly uncompiled: readonly Uncompiled[]
}

interface PackageModules {
  /** For messages. */
  readonly name: string
  /** The virtualenv, or another tree. */
  readonly root: string
  /** Where a container has it, absolute. */
  readonly containerRoot: string
  /** Escaped, relative to the root, sorted by their bytes; at least one. */
  readonly modules: readonly string[]
}

/**
 * Compiles the modules of one package in one fresh interpreter: no site, no user's folder, no environment but the
 * hash seed. Errors: BYTECODE_FAILED, PYTHON_GONE, DISK_FULL, VOLUME_READ_ONLY, IO; the signal's reason.
 */
export async function compileModules(
  interpreter: string,
  { name, root, containerRoot, modules }: PackageModules,
  signal: AbortSignal,
  onDone: (count: number) => void,
): Promise<PackageBytecode> {
  signal.throwIfAborted()
  const child = execa(...dyingWithParent(interpreter, ['-s', '-S', '-B', '-c', bytecodeProgram]), {
    // The program's imports start at the folder it runs in.
    cwd: '/',
    env: { PYTHONHASHSEED: '0' },
    extendEnv: false,
    input: fields([root, containerRoot, String(STORE_MTIME)], modules),
    cancelSignal: signal,
    forceKillAfterDelay: 1000,
    reject: false,
  })
  let said = 0
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = chunk.reduce((count, byte) => (byte === newline ? count + 1 : count), 0)
    // The first line is not a module's.
    onDone(said === 0 ? lines - 1 : lines)
    said += lines
  })
  const { stdout, stderr, exitCode, signal: killedBy } = await child
  signal.throwIfAborted()
  const [tag = '', ...answers] = stdout.split('\n')
  const errno = answers.at(-1)?.match(/^!(.+)/)?.[1]
  if (errno !== undefined) throw stoppedBy(errno, root, modules[answers.length - 1]!)
  if (exitCode === 0 && answers.length === modules.length) return sortAnswers(modules, answers, tag)
  if (!existsSync(interpreter)) {
    throw new EnvdError('PYTHON_GONE', `${interpreter} is no longer there`, { details: { interpreter } })
  }
  const after = modules[answers.length - 1]
  const how = killedBy ?? `exit status ${exitCode}`
  throw new EnvdError(
    'BYTECODE_FAILED',
    `the interpreter that compiled ${name} ended by ${how}, some way after ${after ?? 'its start'}`,
    { details: { name, how, after: after ?? null, said: stderr.slice(-2000) } },
  )
}

const newline = 0x0a

function fields(first: readonly string[], modules: readonly string[]): Uint8Array {
  const paths = modules.map(path => (isPlain(path) ? Buffer.from(path) : unescapeName(path)))
  return Buffer.concat([...first.map(field => Buffer.from(field)), ...paths].flatMap(field => [field, nul]))
}

const nul = Buffer.from([0])

function stoppedBy(errno: string, root: string, path: string): unknown {
  const error = Object.assign(new Error(errno), { code: errno, syscall: 'compile' })
  return machineError(error, `${root}/${path}`)
}

function sortAnswers(modules: readonly string[], answers: readonly string[], tag: string): PackageBytecode {
  const compiled: string[] = []
  const uncompiled: Uncompiled[] = []
  for (const [at, path] of modules.entries()) {
    const reason = answers[at]!
    if (reason === '') compiled.push(bytecodePath(path, tag))
    else uncompiled.push({ path, reason })
  }
  return { compiled, uncompiled }
}

/** PEP 3147. */
function bytecodePath(path: string, tag: string): string {
  const name = path.lastIndexOf('/') + 1
  return `${path.slice(0, name)}__pycache__/${path.slice(name, -'.py'.length)}${tag}.pyc`
}
