import type { ShownEnvironment } from '../../../src/api/artifacts.ts'
import { shownText } from '../../render/result/task/receipt.ts'
import type { Verb } from '../../verb.ts'

export const verb: Verb<ShownEnvironment> = {
  run: async ({ arguments: [reference = ''] }, context) => (await context.door()).show(reference),
  text: shownText,
}
