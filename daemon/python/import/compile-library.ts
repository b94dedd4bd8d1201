import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { escapeName } from '../../../src/tree/escaped-name.ts'
import { compileModules } from '../compile-modules.ts'

export interface CompileOptions {
  readonly signal: AbortSignal
  /** Modules compiled so far, and modules there are. */
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Compiles the standard library of the copy for where a container has it. Bytecode follows from source, path and
 * interpreter alone (bytecode-program.ts), so that several may share the work. Errors: as compileModules.
 */
export async function compileLibrary(
  interpreter: string,
  copy: string,
  { signal, onProgress }: CompileOptions,
): Promise<void> {
  const modules = modulesIn(copy)
  let done = 0
  const onDone = (count: number) => {
    done += count
    onProgress(done, modules.length)
  }
  const jobs = Array.from({ length: availableParallelism() }, (_, job) =>
    modules
      .filter((_, index) => index % availableParallelism() === job)
      .map(path => escapeName(Buffer.from(path))),
  ).filter(share => share.length > 0)
  await Promise.all(
    jobs.map(share =>
      compileModules(
        interpreter,
        { name: 'the standard library', root: copy, containerRoot: CONTAINER.python, modules: share },
        signal,
        onDone,
      ),
    ),
  )
}

/** Links to modules among them: each name of a module has bytecode of its own. */
function modulesIn(copy: string): string[] {
  const library = join(copy, 'lib')
  return onMachine(library, () => readdirSync(library, { recursive: true, encoding: 'utf8' }))
    .filter(path => path.endsWith('.py'))
    .map(path => `lib/${path}`)
    .sort()
}
