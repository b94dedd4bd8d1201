import type { WhyResult } from '../../../src/api/operations.ts'
import { differencesText } from '../../render/result/task/differences.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<WhyResult> = {
  run: async ({ arguments: [a = '', b = ''] }, { door, signal, onEvent }) =>
    (await door()).why(a, b, { signal, onEvent }),
  text: differencesText,
}
