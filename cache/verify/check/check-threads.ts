import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { runOnAll } from '../../thread/run-on-all.ts'
import { workerUrl } from '../../thread/worker-url.ts'
import type { CheckAnswer, CheckJob, ThreadData } from './check-job.ts'

export interface CheckThreads {
  /** Has every thread do it. Errors: what the first to fail met; the signal's reason. */
  run<Job extends CheckJob>(job: Job): Promise<Extract<CheckAnswer, { done: Job['do'] }>[]>
  /** Ends the threads, done or not. */
  stop(): Promise<void>
}

export interface CheckThreadOptions {
  readonly signal?: AbortSignal | undefined
  readonly onSome: (some: Extract<CheckAnswer, { done: 'some' }>) => void
}

/** Each thread reads all trees of what it checks: beyond four, memory grows more than speed. */
const mostThreads = 4

export function startCheckThreads(
  data: Pick<ThreadData, 'root' | 'quick'>,
  { signal, onSome }: CheckThreadOptions,
): CheckThreads {
  const threads = Math.min(availableParallelism(), mostThreads)
  const workers = Array.from(
    { length: threads },
    (_, thread) => new Worker(workerUrl('verify-worker'), { workerData: { ...data, thread, threads } }),
  )
  const group = runOnAll<CheckJob, CheckAnswer>(workers, {
    signal,
    onAnswer(answer, fail) {
      if (answer.done === 'some') onSome(answer)
      if (answer.done === 'failed') fail(answer.error)
    },
  })
  return {
    run: <Job extends CheckJob>(job: Job) => group.run<Job['do']>(job, job.do),
    stop: group.stop,
  }
}
