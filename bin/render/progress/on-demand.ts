import type { PrepareEvent } from '../../../src/api/prepare.ts'
import type { Progress } from './progress.ts'

export interface LazyProgress {
  show(event: PrepareEvent): void
  end(): Promise<void>
}

/** Progress whose code is loaded with the first event: a hit has none. */
export function progressOnDemand(): LazyProgress {
  let started: Promise<Progress> | undefined
  return {
    show(event) {
      started ??= import('./progress.ts').then(({ startProgress }) => startProgress(process.env))
      started = started.then(progress => {
        progress.show(event)
        return progress
      })
    },
    async end() {
      const progress = await started
      progress?.end()
    },
  }
}
