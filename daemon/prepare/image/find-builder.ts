import { join } from 'node:path'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { pythonFolder, TREE } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import type { ImportedPython } from '../../../src/image/imported-python.ts'
import type { Target } from '../../../src/target/target.ts'
import { askInterpreter } from '../../python/ask-interpreter.ts'
import { findExactInterpreter } from '../../python/find/find-exact-interpreter.ts'
import type { PlacedTask } from '../prepare-placed.ts'

/**
 * The interpreter that runs the build of an environment, as this host has it: of exactly the target's version and
 * ABI. For this host it is the target's own. For an image it is the one that was taken in for the container, one of
 * this host, or another that was taken in. Errors: PYTHON_NOT_FOUND.
 */
export function findBuilder({ configuration, volume, target, image, python }: PlacedTask): Target {
  if (image === null) return target
  const takenIn = (one: ImportedPython) => askTakenIn(volume, one, target)
  const builder =
    (python && takenIn(python)) ??
    findExactInterpreter(volume, target, configuration.python, process.env) ??
    listPythons(volume).reduce<Target | null>((found, one) => found ?? takenIn(one), null)
  if (builder !== null) return builder
  const { version, abi } = target
  const message = `building for the base image ${image.name} needs a CPython ${version} (${abi}) on this host, too, and there is none`
  throw new EnvdError('PYTHON_NOT_FOUND', message, {
    details: { image: image.name, version, abi },
    hint: `Install CPython ${version} on this host. Or set \`python\` in task.toml to a version that was taken in; see \`envd python ls\`.`,
  })
}

/** Null where it is another one, or doesn't run here: its libc may be newer than this host's. */
function askTakenIn(volume: Volume, python: ImportedPython, { version, abi }: Target): Target | null {
  if (python.version !== version || python.abi !== abi) return null
  try {
    return askInterpreter(volume, join(pythonFolder(volume, python.digest), TREE, python.executable))
  } catch (error) {
    if (error instanceof EnvdError && error.code.startsWith('PYTHON_')) return null
    throw error
  }
}
