import type { PrepareEvent } from '../../../src/api/prepare.ts'
import { amountDone } from './amount-done.ts'
import type { Progress } from './progress.ts'

/** Milliseconds between two lines of one task in one phase. */
const pause = 5000

/** A line for each phase of a task, and one now and then while a phase lasts. */
export function progressLines(write: (text: string) => void, now: () => number = Date.now): Progress {
  const last = new Map<string, { phase: string; at: number }>()
  return {
    show(event: PrepareEvent) {
      if (event.phase === 'total') return
      const before = last.get(event.task)
      const at = now()
      const fresh = before?.phase !== event.phase
      const spaced = before !== undefined && at - before.at >= pause
      if (!fresh && !spaced) return
      last.set(event.task, { phase: event.phase, at })
      const amount = amountDone(event)
      write(`${event.task}: ${event.message}${amount === '' ? '' : ` (${amount})`}\n`)
    },
    end() {},
  }
}
