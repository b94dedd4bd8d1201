import type { Receipt } from '../../src/report/receipt.ts'
import { receiptText } from '../render/result/receipt.ts'
import type { Verb } from '../verb.ts'

export const verb: Verb<Receipt> = {
  run: async ({ arguments: [reference = ''] }, context) => (await context.door()).show(reference),
  text: receiptText,
}
