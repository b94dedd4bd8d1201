import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { EnvdError } from '../../src/error.ts'
import { machineError } from '../disk/machine-error.ts'
import { workerUrl } from '../thread/worker-url.ts'
import type { Deposit, Depository } from './deposit-file.ts'
import { type HashAnswer, type HashJob, hashJob } from './hash-job.ts'
import { linkError } from './link/link-error.ts'

export interface FileToHash {
  readonly place: string | Buffer
  /** Bytes. */
  readonly size: number
  readonly executable?: boolean
}

export interface Hashing<File extends FileToHash> {
  /** Hashing of what is added begins at once. */
  add(files: readonly File[]): void
  /** After the last `add`: the sha256 of every file, 64 hex digits, that was not handed to `onDigest`. */
  finish(): Promise<ReadonlyMap<File, string>>
  /** Ends the threads, done or not. */
  stop(): Promise<void>
}

export interface HashingOptions<File extends FileToHash> {
  /** Makes what was hashed blobs, and says of each file what came of it. */
  readonly into?: Depository
  readonly onDeposit?: (file: File, sha256: string, deposit: Deposit) => void
  /** Takes each digest as it comes, so that a great many need not be kept. */
  readonly onDigest?: (file: File, sha256: string) => void
  /** Called for a file that fails, and the others go on; without it the first failure ends everything. */
  readonly onFailure?: (file: File, error: unknown) => void
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed and bytes added so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

/** A job holds at most so many files, and ends with the file that brings it over so many bytes. */
const jobFiles = 128
const jobBytes = 4 << 20
/** Work a thread has at hand, so that it never waits for this thread. */
const aheadJobs = 4
const aheadBytes = 8 << 20

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, readonly FileToHash[]>
  bytes: number
}

/**
 * Hashes files on at most one thread for each core, while the list of files is still being made; a few small ones are
 * hashed in this thread, sooner than another one starts. Big files go first, since the last to end sets the time. Errors come out of `finish`: IO for what can't be read or changes
 * meanwhile; the signal's reason.
 */
export function startHashing<File extends FileToHash>(options: HashingOptions<File>): Hashing<File> {
  const { signal, onProgress, into = null, onDeposit, onDigest, onFailure } = options
  const threads: Thread[] = []
  const big: File[] = []
  const small: File[] = []
  const digests = new Map<File, string>()
  let smallBytes = 0
  let added = 0
  let done = 0
  let bytesAdded = 0
  let bytesDone = 0
  let nextId = 0
  let closed = false
  let settle: (outcome: { error?: unknown }) => void
  const settled = new Promise<{ error?: unknown }>(resolve => {
    settle = resolve
  })
  const onAbort = () => settle({ error: signal?.reason })
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()

  function hasWholeJob(): boolean {
    return big.length > 0 || small.length >= jobFiles || smallBytes >= jobBytes
  }

  function nextFiles(): File[] {
    if (big.length > 0) return [big.pop()!]
    const files: File[] = []
    for (let bytes = 0; small.length > 0 && files.length < jobFiles && bytes < jobBytes; ) {
      const file = small.pop()!
      files.push(file)
      bytes += file.size
      smallBytes -= file.size
    }
    return files
  }

  function feed(): void {
    while (hasWholeJob() || (closed && small.length > 0)) {
      if (threads.length === 0 && !hasWholeJob()) {
        const files = nextFiles()
        take(files, hashJob(jobOf(files)))
        return
      }
      const thread = leastLoaded(threads) ?? startThread()
      if (thread === null) return
      const files = nextFiles()
      const job = jobOf(files)
      thread.jobs.set(job.id, files)
      thread.bytes += sum(files)
      thread.worker.postMessage(job)
    }
  }

  function jobOf(files: readonly File[]): HashJob {
    const described = files.map(({ place, size, executable = false }) => ({ place, size, executable }))
    return { id: nextId++, files: described, into }
  }

  function startThread(): Thread | null {
    if (threads.length >= availableParallelism()) return null
    const thread: Thread = { worker: new Worker(workerUrl('hash-worker')), jobs: new Map(), bytes: 0 }
    thread.worker.on('message', (answer: HashAnswer) => {
      const files = thread.jobs.get(answer.id) as readonly File[]
      thread.jobs.delete(answer.id)
      thread.bytes -= sum(files)
      take(files, answer)
    })
    thread.worker.on('error', error => settle({ error }))
    threads.push(thread)
    return thread
  }

  function take(files: readonly File[], { digests: answered, deposits, failed }: HashAnswer): void {
    for (const [index, deposit] of deposits.entries()) onDeposit?.(files[index]!, answered[index]!, deposit)
    const unread = failed === null ? [] : files.slice(failed.index + 1)
    if (failed !== null) {
      const file = files[failed.index]!
      if (onFailure === undefined) {
        settle({ error: failure(file, failed) })
        return
      }
      done += 1
      onFailure(file, failure(file, failed))
      queue(unread)
    }
    for (const [index, digest] of answered.entries()) {
      if (onDigest) onDigest(files[index]!, digest)
      else digests.set(files[index]!, digest)
    }
    done += answered.length
    bytesDone += sum(files) - sum(unread)
    onProgress?.(bytesDone, bytesAdded)
    feed()
    settleWhenDone()
  }

  function settleWhenDone(): void {
    if (closed && done === added) settle({})
  }

  function queue(files: readonly File[]): void {
    for (const file of files) {
      if (file.size >= jobBytes) big.push(file)
      else {
        small.push(file)
        smallBytes += file.size
      }
    }
    big.sort((a, b) => a.size - b.size)
  }

  return {
    add(files) {
      queue(files)
      added += files.length
      bytesAdded += sum(files)
      feed()
    },
    async finish() {
      closed = true
      feed()
      settleWhenDone()
      const outcome = await settled
      if ('error' in outcome) throw outcome.error
      return digests
    },
    async stop() {
      signal?.removeEventListener('abort', onAbort)
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}

function leastLoaded(threads: readonly Thread[]): Thread | undefined {
  return threads
    .filter(({ jobs, bytes }) => jobs.size < aheadJobs && bytes < aheadBytes)
    .sort((a, b) => a.bytes - b.bytes || a.jobs.size - b.jobs.size)[0]
}

function sum(files: readonly FileToHash[]): number {
  return files.reduce((bytes, { size }) => bytes + size, 0)
}

function failure({ place }: FileToHash, failed: NonNullable<HashAnswer['failed']>): unknown {
  const { code, syscall, message, dest } = failed
  const path = place.toString()
  if (code === undefined) return new EnvdError('IO', `${path}: ${message}`, { details: { path } })
  const error = Object.assign(new Error(message), { code, syscall })
  return dest === undefined ? machineError(error, path) : linkError(error, path, dest)
}
