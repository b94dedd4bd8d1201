import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { EnvdError } from '../../../src/error.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { linkError } from '../../blob/link/link-error.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'
import { runOnAll } from '../../thread/run-on-all.ts'
import { workerUrl } from '../../thread/worker-url.ts'
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
  const group = runOnAll<AssembleJob, AssembleAnswer>(workers, {
    signal,
    onAnswer(answer, fail) {
      if (answer.done === 'package') onPackage?.(answer.index)
      if (answer.done === 'failed') fail(failure(answer))
    },
  })
  return { run: job => group.run(job, job), stop: group.stop }
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
