import type { Origin } from '../../src/config/configuration.ts'
import { valuesText } from '../render/result/configuration.ts'
import type { Verb } from '../verb.ts'

type Value = Pick<Origin, 'key' | 'value'> & Partial<Pick<Origin, 'origin'>>

interface ConfigResult {
  readonly values: readonly Value[]
}

export const verb: Verb<ConfigResult> = {
  async run({ options }, context) {
    const origins: readonly Origin[] = await (await context.door()).origins()
    if (options.has('origin')) return { values: origins }
    return { values: origins.map(({ key, value }) => ({ key, value })) }
  },
  text: ({ values }, style) => valuesText(values, style),
}
