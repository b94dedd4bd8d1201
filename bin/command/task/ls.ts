import type { TaskRow } from '../../../src/api/operations.ts'
import { tasksText } from '../../render/result/task/tasks.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<readonly TaskRow[]> = {
  run: async (_, context) => (await context.door()).list(),
  text: tasksText,
}
