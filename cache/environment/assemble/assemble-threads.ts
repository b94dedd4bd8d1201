import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { EnvdError } from '../../../src/error.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { linkError } from '../../blob/link-error.ts'
import { workerUrl } from '../../thread/worker-url.ts'
import { hasErrno, machineError } from '../../volume/machine-error.ts'
import type { AssembleAnswer, AssembleJob, FailedAnswer, ThreadData } from './assemble-job.ts'

export interface AssembleThreads {
  /** Has every thread do it. Errors: what the first to fail met; the signal's reason. */
  run<Job extends AssembleJob>(job: Job): Promise<Extract<AssembleAnswer, { done: Job }>[]>
  /** Ends the threads, done or not. */
  stop(): Promise<void>
}

export interface AssembleOptions {
  readonly signal?: AbortSignal | undefined
  /** The links of one more package are made. */
  readonly onPackage?: (index: number) => void
}

/** Links go on in parallel because each holds the lock of one directory; more than four gained nothing. */
const mostThreads = 4

/** Starts threads and gives each its share of the packages, so that all have about as much to do. */
export function startAssembleThreads(
  data: Omit<ThreadData, 'packages'>,
  packages: readonly PackageRecord[],
  { signal, onPackage }: AssembleOptions,
): AssembleThreads {
  const count = Math.min(availableParallelism(), mostThreads, packages.length)
  const workers = shares(packages, count).map(
    share => new Worker(workerUrl('assemble-worker'), { workerData: { ...data, packages: share } }),
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
    worker.on('message', (answer: AssembleAnswer) => {
      if (answer.done === 'package') onPackage?.(answer.index)
      if (answer.done === 'failed') fail(failure(answer))
    })
  }

  function runOn<Job extends AssembleJob>(
    worker: Worker,
    job: Job,
  ): Promise<Extract<AssembleAnswer, { done: Job }>> {
    return new Promise(resolve => {
      const onMessage = (answer: AssembleAnswer) => {
        if (answer.done !== job) return
        worker.off('message', onMessage)
        resolve(answer as Extract<AssembleAnswer, { done: Job }>)
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

/** The largest first, each to the thread that has least. */
function shares(packages: readonly PackageRecord[], count: number): ThreadData['packages'][] {
  const threads = Array.from({ length: count }, () => ({
    work: 0,
    packages: [] as { index: number; digest: string }[],
  }))
  const work = ({ files, directories }: PackageRecord) => files + 2 * directories
  const largestFirst = [...packages.entries()].sort(([, a], [, b]) => work(b) - work(a))
  for (const [index, record] of largestFirst) {
    const least = threads.reduce((a, b) => (b.work < a.work ? b : a))
    least.packages.push({ index, digest: record.tree })
    least.work += work(record)
  }
  return threads.map(thread => thread.packages)
}

function failure({ code, syscall, path = '', dest, message }: FailedAnswer): unknown {
  if (syscall === undefined) return code === 'VOLUME_CORRUPT' ? damaged(message, path) : new Error(message)
  const error = Object.assign(new Error(message), { code, syscall, path })
  if (hasErrno(error, 'ENOENT') && syscall !== 'mkdir' && !existsSync(path)) {
    return damaged(`${path} is missing`, path)
  }
  return dest === undefined ? machineError(error, path) : linkError(error, path, dest)
}

function damaged(message: string, path: string): EnvdError {
  return new EnvdError('VOLUME_CORRUPT', message, {
    details: { path },
    hint: 'Run `envd verify --all --heal`: it brings back what is damaged.',
  })
}
