import { readReceipt } from '../../../cache/environment/receipt.ts'
import { listPythons } from '../../../cache/python/list-pythons.ts'
import { isDamaged } from '../../../cache/python/python-record.ts'
import { removePython as removeFromVolume } from '../../../cache/python/remove-python.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { RemovedPython } from '../../../src/api/pythons.ts'
import { isKey } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import type { ImportedPython } from '../../../src/image/imported-python.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { allTaskRecords } from '../../prepare/task/task-record.ts'

/**
 * Removes an interpreter, named by its digest, the first digits of it, or its version. Errors: PYTHON_NOT_IMPORTED (or
 * several have that name), PYTHON_IN_USE (a lease names it, or a task runs with it and no other will do),
 * VOLUME_NOT_OWNER.
 */
export async function removePython(volume: Volume, reference: string): Promise<RemovedPython> {
  requireOwner(volume)
  if (isKey(reference) && isDamaged(volume, reference)) {
    return { digest: reference, version: null, bytesFreed: await removeFromVolume(volume, reference) }
  }
  const all = listPythons(volume)
  const { digest, version } = requireUnneeded(volume, named(all, reference), all)
  return { digest, version, bytesFreed: await removeFromVolume(volume, digest) }
}

function named(all: readonly ImportedPython[], reference: string): ImportedPython {
  const isMeant = ({ digest, version }: ImportedPython) =>
    version === reference || (reference.length >= 8 && digest.startsWith(reference))
  const [found, another] = all.filter(isMeant)
  if (found !== undefined && another === undefined) return found
  const message =
    found === undefined
      ? `no Python ${reference} was taken in`
      : `several that were taken in are ${reference}`
  throw new EnvdError('PYTHON_NOT_IMPORTED', message, {
    details: { reference, digests: all.filter(isMeant).map(({ digest }) => digest) },
    ...(found !== undefined && { hint: 'Name it by its digest; see `envd python ls`.' }),
  })
}

/** By the environments that tasks have had last: what runs in them is in their target, by its version. */
function requireUnneeded(
  volume: Volume,
  python: ImportedPython,
  all: readonly ImportedPython[],
): ImportedPython {
  const isAlike = ({ version, abi, machine }: Pick<ImportedPython, 'version' | 'abi' | 'machine'>) =>
    version === python.version && abi === python.abi && machine === python.machine
  if (all.some(other => other.digest !== python.digest && isAlike(other))) return python
  const tasks = allTaskRecords(volume).flatMap(({ task, key }) => {
    const target = readReceipt(volume, key)?.target
    return target?.prefix === CONTAINER.python && isAlike(target) ? [task] : []
  })
  if (tasks.length === 0) return python
  const who = [...new Set(tasks)].join(', ')
  throw new EnvdError('PYTHON_IN_USE', `Python ${python.version} is what ${who} runs with in its container`, {
    details: { digest: python.digest, tasks },
    hint: 'Remove the environments of these tasks first, or take in another build of the same version.',
  })
}
