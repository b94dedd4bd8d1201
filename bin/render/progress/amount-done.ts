import type { PrepareEvent } from '../../../src/api/prepare.ts'
import { formatBytes, formatSeconds } from '../amounts.ts'

/** What an event says beyond its message: `12/40 packages`, or who is waited for. */
export function amountDone({ done, total, unit, builder, bytesPerSecond }: PrepareEvent): string {
  if (builder !== undefined) {
    return `process ${builder.pid} on ${builder.host}, for ${formatSeconds(builder.waitedSeconds)}`
  }
  if (done === undefined) return ''
  const show = unit === 'bytes' ? formatBytes : String
  const of = total === undefined ? show(done) : `${show(done)}/${show(total)}`
  if (bytesPerSecond !== undefined) return `${of}, ${rate(bytesPerSecond, done, total)}`
  return unit === 'bytes' || unit === undefined ? of : `${of} ${unit}`
}

/** `35.2 MB/s, 12.0 s left`. */
function rate(bytesPerSecond: number, done: number, total: number | undefined): string {
  const speed = `${formatBytes(bytesPerSecond)}/s`
  return total === undefined || total <= done
    ? speed
    : `${speed}, ${formatSeconds((total - done) / bytesPerSecond)} left`
}
