import type { IndexStatus } from '../../../src/api/operations.ts'
import { indexText } from '../../render/result/index.ts'
import type { Verb } from '../../verb.ts'

export const status: Verb<IndexStatus> = {
  run: async (_, context) => (await context.door()).index(),
  text: indexText,
}

export const rebuild: Verb<IndexStatus> = {
  run: async (_, context) => (await context.door()).rebuildIndex({ signal: context.signal }),
  text: indexText,
}
