import { readReceipt } from '../../../cache/environment/receipt.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ShownEnvironment } from '../../../src/api/artifacts.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { isKey } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { artifactRow } from '../../artifact/artifact-row.ts'
import { placeInImage } from '../../prepare/image/place-in-image.ts'
import { placeTask } from '../../prepare/image/place-task.ts'
import { recallKey } from '../../prepare/task/known-key.ts'
import { readTask, type TaskInput } from '../../prepare/task/read-task.ts'
import { recallUnlessNowhere } from './keys-of-task.ts'
import { notReady } from './task-context.ts'

/** The receipt of a key, or of the environment that a task as it is now has; on this host before in the default image. */
export function show(configuration: Configuration, volume: Volume, reference: string): ShownEnvironment {
  if (isKey(reference)) {
    const receipt = readReceipt(volume, reference)
    if (receipt) return receipt
    throw new EnvdError('ENVIRONMENT_NOT_FOUND', `there is no environment ${reference}`, {
      details: { key: reference },
    })
  }
  const input = readTask(configuration.lockfiles, reference)
  const receipt = receiptOf(configuration, volume, input)
  if (receipt) {
    const artifacts = input.task.artifacts.map(artifact => artifactRow(volume, artifact))
    return artifacts.length === 0 ? receipt : { ...receipt, artifacts }
  }
  throw notReady(reference)
}

/** Where the task belongs; where it has none there and names no image, in the default one. */
function receiptOf(configuration: Configuration, volume: Volume, input: TaskInput) {
  const { task } = input
  const key = recallKey(volume, input, placeTask(configuration, volume, task).target)
  const receipt = key && readReceipt(volume, key)
  if (receipt || task.baseImage !== null) return receipt
  const inImage = () => placeInImage(configuration, volume, task, DEFAULT_IMAGE)
  const other = recallUnlessNowhere(volume, input, inImage)
  return other && readReceipt(volume, other)
}
