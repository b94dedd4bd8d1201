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
  run<Job extends AssembleJob>(job: Job): Promise<Extract<AssembleAnswer, { done: Job['do'] }>[]>
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

/** Starts threads that take the packages one by one, so that all have about as much to do. */
export function startAssembleThreads(
  place: Pick<ThreadData, 'root' | 'tree'>,
  packages: readonly PackageRecord[],
  { signal, onPackage }: AssembleOptions,
): AssembleThreads {
  const count = Math.min(availableParallelism(), mostThreads, packages.length)
  const taken = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData = { ...place, packages: largestFirst(packages), taken } satisfies ThreadData
  const workers = Array.from(
    { length: count },
    () => new Worker(workerUrl('assemble-worker'), { workerData }),
  )
  const group = runOnAll<AssembleJob, AssembleAnswer>(workers, {
    signal,
    onAnswer(answer, fail) {
      if (answer.done === 'package') onPackage?.(answer.index)
      if (answer.done === 'failed') fail(failure(answer))
    },
  })
  return {
    run<Job extends AssembleJob>(job: Job) {
      Atomics.store(taken, 0, 0)
      return group.run<Job['do']>(job, job.do)
    },
    stop: group.stop,
  }
}

/** What is left to the end is small, and no thread waits long for the last. */
function largestFirst(packages: readonly PackageRecord[]): ThreadData['packages'] {
  const work = ({ files, directories }: PackageRecord) => files + 2 * directories
  return [...packages.entries()]
    .sort(([, a], [, b]) => work(b) - work(a))
    .map(([index, { tree }]) => ({ index, digest: tree }))
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
