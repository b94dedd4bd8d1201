import { readdirSync } from 'node:fs'
import { escapeName } from '../../../src/tree/escaped-name.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { placeIn } from '../../disk/place-in.ts'
import type { Conflict } from './decide-conflicts.ts'

/**
 * All bytecode (PEP 3147) that lies in `tree` for the module of a conflict, by path. It names its source by time and
 * size, and the store has one time: a loser's would be taken for that of a winner of the same length.
 */
export function contestedBytecode(
  tree: string,
  conflicts: readonly Conflict[],
): ReadonlyMap<string, Conflict> {
  const found = new Map<string, Conflict>()
  for (const conflict of conflicts) {
    const [, parent = '', module] = /^(.*\/)?([^/]+)\.py$/.exec(conflict.path) ?? []
    if (module === undefined) continue
    const folder = `${parent}__pycache__`
    for (const name of escapedNamesIn(placeIn(tree, folder))) {
      const isOf = name.startsWith(`${module}.`) && tag.test(name.slice(module.length))
      if (isOf) found.set(`${folder}/${name}`, conflict)
    }
  }
  return found
}

const tag = /^\.[^.]+(?:\.opt-[^.]+)?\.pyc$/

function escapedNamesIn(folder: string | Buffer): string[] {
  try {
    return readdirSync(folder, 'buffer').map(escapeName)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw machineError(error, folder.toString())
  }
}
