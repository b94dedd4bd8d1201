import type { Worker } from 'node:worker_threads'

export interface ThreadGroup<Job, Answer extends { readonly done: string }> {
  /** Has every thread do it, until each has answered `done`. Errors: the first that is met; the signal's reason. */
  run<Done extends Answer['done']>(job: Job, done: Done): Promise<Extract<Answer, { readonly done: Done }>[]>
  /** Ends the threads, done or not. */
  stop(): Promise<void>
}

export interface ThreadGroupOptions<Answer> {
  readonly signal?: AbortSignal | undefined
  /** Every answer as it comes; `fail` ends what runs. */
  onAnswer(answer: Answer, fail: (reason: unknown) => void): void
}

/** Threads that all do the same job at a time, each its share of it. */
export function runOnAll<Job, Answer extends { readonly done: string }>(
  workers: readonly Worker[],
  { signal, onAnswer }: ThreadGroupOptions<Answer>,
): ThreadGroup<Job, Answer> {
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
    worker.on('message', (answer: Answer) => onAnswer(answer, fail))
  }

  function runOn<Done extends Answer['done']>(
    worker: Worker,
    job: Job,
    done: Done,
  ): Promise<Extract<Answer, { readonly done: Done }>> {
    return new Promise(resolve => {
      const onMessage = (answer: Answer) => {
        if (answer.done !== done) return
        worker.off('message', onMessage)
        resolve(answer as Extract<Answer, { readonly done: Done }>)
      }
      worker.on('message', onMessage)
      worker.postMessage(job)
    })
  }

  return {
    run: (job, done) => Promise.race([failed, Promise.all(workers.map(worker => runOn(worker, job, done)))]),
    async stop() {
      signal?.removeEventListener('abort', onAbort)
      await Promise.all(workers.map(worker => worker.terminate()))
    },
  }
}
