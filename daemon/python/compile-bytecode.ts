import pLimit from 'p-limit'
import { EnvdError } from '../../src/error.ts'
import { CONTAINER_PREFIX } from '../../src/key/recipe.ts'
import { comparePaths } from '../../src/tree/manifest.ts'
import { compileModules, type PackageBytecode } from './compile-modules.ts'

export interface BytecodeRequest {
  /** Normalized. */
  readonly name: string
  /** All files of the package: relative to the virtualenv, escaped. */
  readonly paths: readonly string[]
}

export interface BytecodeOptions {
  readonly signal: AbortSignal
  /** Modules compiled or recorded so far, of all packages. */
  readonly onProgress: (done: number, total: number) => void
  /** Interpreters side by side. */
  readonly jobs: number
}

/**
 * Compiles packages below `root`, a virtualenv: each in an interpreter of its own, its modules in the order of their
 * bytes. A .pyc lies where the import system looks for it, names its source by STORE_MTIME and size, and holds the
 * path that it has in a container; it follows from source, path and interpreter alone (bytecode-program.ts says
 * how). One that a wheel brought is replaced: it names a source of another time.
 *
 * Modules are what `compileall` and uv compile: every `.py` below site-packages that is not in a `__pycache__`.
 * What doesn't compile is recorded. Errors: BYTECODE_FAILED when interpreters died, after all others have ended;
 * PYTHON_GONE, DISK_FULL, VOLUME_READ_ONLY, IO; the signal's reason.
 */
export async function compileBytecode(
  interpreter: string,
  root: string,
  packages: readonly BytecodeRequest[],
  { signal, onProgress, jobs }: BytecodeOptions,
): Promise<Map<string, PackageBytecode>> {
  const work = packages.map(({ name, paths }) => ({
    name,
    modules: paths.filter(isModule).sort(comparePaths),
  }))
  const total = work.reduce((sum, { modules }) => sum + modules.length, 0)
  let done = 0
  const onDone = (count: number) => {
    done += count
    onProgress(done, total)
  }
  const limit = pLimit(jobs)
  // The longest first, so that none is left running alone at the end.
  const queue = work
    .filter(({ modules }) => modules.length > 0)
    .sort((a, b) => b.modules.length - a.modules.length)
  const outcomes = await Promise.allSettled(
    queue.map(({ name, modules }) =>
      limit(
        async () =>
          [
            name,
            await compileModules(
              interpreter,
              { name, root, containerRoot: CONTAINER_PREFIX, modules },
              signal,
              onDone,
            ),
          ] as const,
      ),
    ),
  )
  signal.throwIfAborted()
  const failures = outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw failureOf(failures)
  const nothing: PackageBytecode = { compiled: [], uncompiled: [] }
  const results = new Map(packages.map(({ name }) => [name, nothing]))
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') results.set(...outcome.value)
  return results
}

const module = /^lib\/python3\.\d+t?\/site-packages\/(?!(?:.*\/)?__pycache__\/)(?:.*\/)?[^/]+\.py$/

function isModule(path: string): boolean {
  return module.test(path)
}

/** What the machine did wrong says more than an interpreter that died of it. */
function failureOf(failures: readonly unknown[]): unknown {
  const died = failures.filter(isDeath)
  if (died.length < failures.length) return failures.find(failure => !isDeath(failure))
  if (died.length === 1) return died[0]
  return new EnvdError('BYTECODE_FAILED', died.map(({ message }) => message).join('; '), {
    details: { packages: died.map(({ details }) => details) },
    cause: died[0],
  })
}

function isDeath(failure: unknown): failure is EnvdError {
  return failure instanceof EnvdError && failure.code === 'BYTECODE_FAILED'
}
