import type { ReportProgress } from '../prepare/progress.ts'

export interface TransferReporting {
  onNote(message: string): void
  onProgress(done: number, total: number, received: number): void
}

/** Over so many milliseconds the rate is taken. */
const windowMs = 5000

/** Reports bytes that are here with the rate at which they come; a note stays until bytes come again. */
export function startReporting(
  name: string,
  report: ReportProgress,
  now: () => number = () => performance.now(),
): TransferReporting {
  const samples: { at: number; received: number }[] = [{ at: now(), received: 0 }]
  let last = { done: 0, total: 0 }
  return {
    onNote(message) {
      report({ phase: 'download', message, ...last, unit: 'bytes' })
    },
    onProgress(done, total, received) {
      last = { done, total }
      const at = now()
      samples.push({ at, received })
      while (samples.length > 2 && at - samples[1]!.at >= windowMs) samples.shift()
      const oldest = samples[0]!
      const seconds = (at - oldest.at) / 1000
      const rate = seconds > 0 ? Math.round((received - oldest.received) / seconds) : 0
      const message = `downloading ${name}`
      report({
        phase: 'download',
        message,
        done,
        total,
        unit: 'bytes',
        ...(rate > 0 ? { bytesPerSecond: rate } : {}),
      })
    },
  }
}
