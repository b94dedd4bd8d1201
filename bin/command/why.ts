import type { WhyResult } from '../../src/api/operations.ts'
import { differencesText } from '../render/result/differences.ts'
import type { Verb } from '../verb.ts'

export const verb: Verb<WhyResult> = {
  run: async ({ arguments: [a = '', b = ''] }, context) => (await context.door()).why(a, b),
  text: differencesText,
}
