import { dirname, relative } from 'node:path'
import { execa } from 'execa'
import { isOfGlibc } from '../../../src/elf/glibc-libraries.ts'
import { EnvdError } from '../../../src/error.ts'
import { type ElfInTree, LIBRARIES } from './bring-libraries.ts'

/**
 * Has every file of the copy find its libraries in the copy, wherever that is mounted: RUNPATH becomes
 * `$ORIGIN`-relative where it isn't. Not RPATH, which the libraries of a task's packages would go by too. patchelf
 * writes in place, so that no file may have another name. Errors: TOOL_MISSING, PYTHON_BROKEN, the signal's reason.
 */
export async function setRunpaths(
  copy: string,
  elves: readonly ElfInTree[],
  signal: AbortSignal,
): Promise<void> {
  const wrong = new Map<string, string[]>()
  for (const { path, elf } of elves) {
    const wanted = ['$ORIGIN', relative(dirname(path), LIBRARIES)].filter(Boolean).join('/')
    const needy = elf.needed.some(name => !isOfGlibc(name))
    const right = needy ? elf.runpath === wanted : elf.runpath === null || elf.runpath.startsWith('$ORIGIN')
    if (!right) wrong.set(wanted, [...(wrong.get(wanted) ?? []), path])
  }
  for (const [runpath, paths] of wrong) await patch(copy, runpath, paths, signal)
}

async function patch(
  copy: string,
  runpath: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  try {
    await execa('patchelf', ['--set-rpath', runpath, ...paths], { cwd: copy, cancelSignal: signal })
  } catch (error) {
    signal.throwIfAborted()
    if ((error as { code?: string }).code === 'ENOENT') {
      throw new EnvdError('TOOL_MISSING', 'patchelf is needed to make that Python relocatable', {
        hint: 'Install patchelf (Debian: apt install patchelf) and import again.',
        details: { tool: 'patchelf' },
        cause: error,
      })
    }
    const said = (error as { stderr?: string }).stderr?.trim() || String(error)
    throw new EnvdError('PYTHON_BROKEN', `patchelf can't make that Python relocatable: ${said}`, {
      hint: 'Import another build of it.',
      details: { files: paths, said },
      cause: error,
    })
  }
}
