import type { PrepareEvent } from '../../../src/api/prepare.ts'
import { formatBytes, formatSeconds } from '../amounts.ts'

/** What an event says beyond its message: `12/40 packages`, or who is waited for. */
export function amountDone({ done, total, unit, builder }: PrepareEvent): string {
  if (builder !== undefined) {
    return `process ${builder.pid} on ${builder.host}, for ${formatSeconds(builder.waitedSeconds)}`
  }
  if (done === undefined) return ''
  const show = unit === 'bytes' ? formatBytes : String
  const of = total === undefined ? show(done) : `${show(done)}/${show(total)}`
  return unit === 'bytes' || unit === undefined ? of : `${of} ${unit}`
}
