import type { Volume } from '../../cache/volume/open-volume.ts'
import type { WhyResult } from '../../src/api/operations.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import { isKey } from '../../src/digest.ts'
import { environmentKey, type KeyInputs } from '../../src/key/environment-key.ts'
import { differences } from '../../src/key/why-differ.ts'
import type { WorkOptions } from '../door.ts'
import { selectTask } from '../prepare/task/select-task.ts'
import { show } from './show.ts'
import { taskContext } from './task-context.ts'

/** Why two tasks (as they are now, ready or not) or keys (by their receipts) are not one environment. */
export async function why(
  configuration: Configuration,
  volume: Volume,
  [a, b]: readonly [string, string],
  options: WorkOptions,
): Promise<WhyResult> {
  const inputsOf = async (reference: string): Promise<KeyInputs> =>
    isKey(reference)
      ? show(configuration, volume, reference)
      : selectTask(taskContext(configuration, volume, reference, options))
  const [one, other] = [await inputsOf(a), await inputsOf(b)]
  const [keyA, keyB] = [environmentKey(one), environmentKey(other)]
  return {
    a: { name: a, key: keyA },
    b: { name: b, key: keyB },
    equal: keyA === keyB,
    differences: differences(one, other),
  }
}
