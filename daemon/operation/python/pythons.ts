import { listPythons } from '../../../cache/python/list-pythons.ts'
import { pythonTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { PythonImport, PythonRow } from '../../../src/api/pythons.ts'
import { EnvdError } from '../../../src/error.ts'
import type { WorkOptions } from '../../door.ts'
import { importPython as takeIn } from '../../python/import/import-python.ts'
import { signalOf } from '../../signal-of.ts'

export async function importPython(
  volume: Volume,
  path: string,
  options: WorkOptions,
): Promise<PythonImport> {
  const signal = signalOf(options)
  try {
    return await takeIn(volume, path, {
      signal,
      report: progress => options.onEvent?.({ task: 'python', ...progress }),
    })
  } catch (error) {
    if (signal.aborted) throw new EnvdError('INTERRUPTED', 'interrupted', { cause: error })
    throw error
  }
}

/** Newest version first; none where there is no volume. */
export function pythons(volume: Volume | null): PythonRow[] {
  if (volume === null) return []
  return listPythons(volume).map(python => ({ ...python, path: pythonTree(volume, python.digest) }))
}
