import type { RemovedEnvironment } from '../../../src/api/operations.ts'
import { removedText } from '../../render/result/task/changes.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<readonly RemovedEnvironment[]> = {
  run: async ({ arguments: [reference = ''] }, context) => (await context.door()).remove(reference),
  text: removedText,
}
