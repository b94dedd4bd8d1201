import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { workerUrl } from '../thread/worker-url.ts'
import type { Deposit, Depository } from './deposit-file.ts'
import { hashFailure } from './hash-failure.ts'
import { type HashAnswer, type HashJob, hashJob } from './hash-job.ts'

export interface FileToHash {
  readonly place: string | Buffer
  /** Bytes. */
  readonly size: number
  readonly executable?: boolean
}

export interface Hashing<File extends FileToHash> {
  /** Hashing of what is added begins at once. */
  add(files: readonly File[]): void
  /** Resolves when there is room for more; without asking, any number can be added. Errors: as `finish`. */
  room(): Promise<void>
  /** After the last `add`: the sha256 of every file, 64 hex digits, that was not handed to `onDigest`. */
  finish(): Promise<ReadonlyMap<File, string>>
  /** Ends the threads, done or not. */
  stop(): Promise<void>
}

export interface HashingOptions<File extends FileToHash> {
  /** Makes what was hashed blobs, and says of each file what came of it. */
  readonly into?: Depository
  readonly onDeposit?: (file: File, sha256: string, deposit: Deposit) => void
  /** Takes samples of contents that the store did not have. */
  readonly onSamples?: (records: Uint8Array) => void
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
/** Files that are added and not hashed yet, for who asks whether there is room: what bounds its memory. */
const aheadFiles = 8192

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
  const { signal, onProgress, into = null, onDeposit, onSamples, onDigest, onFailure } = options
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
  const waiting: (() => void)[] = []
  let outcome: { error?: unknown } | undefined
  const onAbort = () => settle({ error: signal?.reason })
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()

  function settle(how: { error?: unknown }): void {
    outcome ??= how
    wake()
  }

  function wake(): void {
    for (const go of waiting.splice(0)) go()
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (outcome === undefined && !isSo()) await new Promise<void>(resolve => waiting.push(resolve))
    if (outcome && 'error' in outcome) throw outcome.error
  }

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
        void hashHere(nextFiles())
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

  async function hashHere(files: readonly File[]): Promise<void> {
    try {
      take(files, await hashJob(jobOf(files)))
    } catch (error) {
      settle({ error })
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

  function take(files: readonly File[], answer: HashAnswer): void {
    const { digests: answered, deposits, samples, failed } = answer
    if (samples.length > 0) onSamples?.(samples)
    for (const [index, deposit] of deposits.entries()) onDeposit?.(files[index]!, answered[index]!, deposit)
    const unread = failed === null ? [] : files.slice(failed.index + 1)
    if (failed !== null) {
      const file = files[failed.index]!
      if (onFailure === undefined) {
        settle({ error: hashFailure(file, failed) })
        return
      }
      done += 1
      onFailure(file, hashFailure(file, failed))
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
    wake()
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
    room: () => until(() => added - done < aheadFiles),
    async finish() {
      closed = true
      feed()
      settleWhenDone()
      await until(() => false)
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
