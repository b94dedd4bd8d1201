import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
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
  let fail: (reason: unknown) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  failed.catch(() => {})
  const onAbort = () => fail(signal?.reason)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  for (const worker of workers) {
    worker.on('error', error => fail(error))
    worker.on('message', (answer: CheckAnswer) => {
      if (answer.done === 'some') onSome(answer)
      if (answer.done === 'failed') fail(answer.error)
    })
  }

  function runOn<Job extends CheckJob>(
    worker: Worker,
    job: Job,
  ): Promise<Extract<CheckAnswer, { done: Job['do'] }>> {
    return new Promise(resolve => {
      const onMessage = (answer: CheckAnswer) => {
        if (answer.done !== job.do) return
        worker.off('message', onMessage)
        resolve(answer as Extract<CheckAnswer, { done: Job['do'] }>)
      }
      worker.on('message', onMessage)
      worker.postMessage(job)
    })
  }

  return {
    run: job => Promise.race([failed, Promise.all(workers.map(worker => runOn(worker, job)))]),
    async stop() {
      signal?.removeEventListener('abort', onAbort)
      await Promise.all(workers.map(worker => worker.terminate()))
    },
  }
}
