import { readReceipt } from '../../cache/environment/receipt.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { ShownEnvironment } from '../../src/api/artifacts.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { isKey } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { artifactRow } from '../artifact/artifact-row.ts'
import { recallKey } from '../prepare/task/known-key.ts'
import { notReady, taskContext } from './task-context.ts'

/** The receipt of a key, or of the environment that a task as it is now has. */
export function show(configuration: Configuration, volume: Volume, reference: string): ShownEnvironment {
  if (isKey(reference)) {
    const receipt = readReceipt(volume, reference)
    if (receipt) return receipt
    throw new EnvdError('ENVIRONMENT_NOT_FOUND', `there is no environment ${reference}`, {
      details: { key: reference },
    })
  }
  const { input, target } = taskContext(configuration, volume, reference)
  const key = recallKey(volume, input, target)
  const receipt = key && readReceipt(volume, key)
  if (receipt) {
    const artifacts = input.task.artifacts.map(artifact => artifactRow(volume, artifact))
    return artifacts.length === 0 ? receipt : { ...receipt, artifacts }
  }
  throw notReady(reference)
}
