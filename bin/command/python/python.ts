import { resolve } from 'node:path'
import type { PythonImport, PythonRow, RemovedPython } from '../../../src/api/pythons.ts'
import { importedText, pythonsText, removedPythonText } from '../../render/result/container/pythons.ts'
import type { Verb } from '../../verb.ts'

export const takeIn: Verb<PythonImport> = {
  async run({ arguments: [prefix = ''] }, context) {
    const door = await context.door()
    return door.importPython(resolve(prefix), { signal: context.signal, onEvent: context.onEvent })
  },
  text: importedText,
}

export const list: Verb<readonly PythonRow[]> = {
  run: async (_, context) => (await context.door()).pythons(),
  text: pythonsText,
}

export const remove: Verb<RemovedPython> = {
  run: async ({ arguments: [reference = ''] }, context) => (await context.door()).removePython(reference),
  text: removedPythonText,
}
