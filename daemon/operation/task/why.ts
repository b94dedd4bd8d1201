import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Compared, WhyResult } from '../../../src/api/operations.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { isKey } from '../../../src/digest.ts'
import { environmentKey, type KeyInputs } from '../../../src/key/environment-key.ts'
import { differences } from '../../../src/key/why-differ.ts'
import type { WorkOptions } from '../../door.ts'
import { selectTask } from '../../prepare/task/select-task.ts'
import { show } from './show.ts'
import { taskContext } from './task-context.ts'

/** Why two tasks (as they are now, ready or not) or keys (by their receipts) are not one environment. */
export async function why(
  configuration: Configuration,
  volume: Volume,
  [a, b]: readonly [string, string],
  options: WorkOptions,
): Promise<WhyResult> {
  const lookUp = async (name: string): Promise<{ inputs: KeyInputs; compared: Compared }> => {
    if (isKey(name)) return describe(name, show(configuration, volume, name), null)
    const context = taskContext(configuration, volume, name, options)
    return describe(name, await selectTask(context), context.image?.name ?? null)
  }
  const [one, other] = [await lookUp(a), await lookUp(b)]
  return {
    a: one.compared,
    b: other.compared,
    equal: one.compared.key === other.compared.key,
    differences: differences(one.inputs, other.inputs),
  }
}

function describe(name: string, inputs: KeyInputs, image: string | null) {
  return { inputs, compared: { name, key: environmentKey(inputs), image } }
}
