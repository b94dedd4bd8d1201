import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { workerUrl } from '../../cache/thread/worker-url.ts'
import { fromBody } from '../prepare/once/error-body.ts'
import type { Conduct } from './conduct.ts'
import type { Downloaded, DownloadJob, FromDownloader, ToDownloader } from './download-job.ts'

export interface DownloadThreads {
  /** Errors: as transferFile. */
  fetch(job: DownloadJob, listener: DownloadListener): Promise<Downloaded>
  /** Ends what runs; files keep what came. */
  stop(): Promise<void>
}

export interface DownloadListener {
  onProgress(received: number, there: number): void
  onNote(message: string): void
}

/** One thread takes in about 700 MB/s; more of them cost memory. */
const mostThreads = 3

/** Small, so that what was received is let go soon: the contents themselves are not in V8's heap. */
const youngMegabytes = 2

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, Waiting>
}

interface Waiting extends DownloadListener {
  resolve(downloaded: Downloaded): void
  reject(error: unknown): void
}

/** Threads that download, started as they are needed. */
export function startDownloadThreads(conduct: Conduct): DownloadThreads {
  const most = Math.min(mostThreads, availableParallelism())
  const threads: Thread[] = []
  let nextId = 0
  let stopped: Promise<void> | undefined

  function startThread(): Thread {
    const thread: Thread = {
      worker: new Worker(workerUrl('download-worker'), {
        workerData: conduct,
        resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes },
      }),
      jobs: new Map(),
    }
    thread.worker.on('message', (message: FromDownloader) => take(thread, message))
    thread.worker.on('error', error => {
      for (const waiting of thread.jobs.values()) waiting.reject(error)
      thread.jobs.clear()
    })
    threads.push(thread)
    return thread
  }

  function leastLoaded(): Thread {
    const [least] = threads.toSorted((a, b) => a.jobs.size - b.jobs.size)
    return least === undefined || (least.jobs.size > 0 && threads.length < most) ? startThread() : least
  }

  function take({ jobs }: Thread, message: FromDownloader): void {
    if (message.kind === 'stopped') return
    const waiting = jobs.get(message.id)
    if (waiting === undefined) return
    if (message.kind === 'progress') waiting.onProgress(message.received, message.there)
    else if (message.kind === 'note') waiting.onNote(message.message)
    else {
      jobs.delete(message.id)
      if (message.kind === 'failed') waiting.reject(fromBody(message.error))
      else waiting.resolve({ sha256: message.sha256, size: message.size, received: message.received })
    }
  }

  return {
    fetch(job, listener) {
      if (stopped !== undefined) return Promise.reject(new Error('the threads have ended'))
      const thread = leastLoaded()
      const id = nextId++
      return new Promise((resolve, reject) => {
        thread.jobs.set(id, { ...listener, resolve, reject })
        thread.worker.postMessage({ kind: 'fetch', id, job } satisfies ToDownloader)
      })
    },
    stop() {
      stopped ??= Promise.all(threads.map(({ worker }) => end(worker))).then(() => {})
      return stopped
    },
  }
}

async function end(worker: Worker): Promise<void> {
  const ended = new Promise<void>(resolve => {
    worker.on('message', ({ kind }: FromDownloader) => kind === 'stopped' && resolve())
    worker.on('exit', () => resolve())
  })
  worker.postMessage({ kind: 'stop' } satisfies ToDownloader)
  await ended
  await worker.terminate()
}
