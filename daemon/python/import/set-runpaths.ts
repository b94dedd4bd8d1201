import { dirname, relative } from 'node:path'
import { isOfGlibc } from '../../../src/elf/glibc-libraries.ts'
import { EnvdError } from '../../../src/error.ts'
import { runTool } from '../../tool/run-tool.ts'
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
  for (const [runpath, files] of wrong) {
    const { failed, said } = await runTool({
      ...{ tool: 'patchelf', purpose: 'to make that Python relocatable', environment: process.env, signal },
      ...{ cwd: copy, args: ['--set-rpath', runpath, ...files] },
    })
    if (!failed) continue
    throw new EnvdError('PYTHON_BROKEN', `patchelf can't make that Python relocatable: ${said}`, {
      hint: 'Import another build of it.',
      details: { files, said },
    })
  }
}
