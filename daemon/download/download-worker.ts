import { setMaxListeners } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { asEnvdError } from '../../src/error.ts'
import type { Conduct } from './conduct.ts'
import type { DownloadJob, FromDownloader, ToDownloader } from './download-job.ts'
import { type Client, startClient } from './http/send.ts'
import { startLettingGo } from './let-go.ts'
import { transferFile } from './transfer/transfer-file.ts'

/** A thread that downloads files side by side: what comes is written and hashed where it arrives. */
const conduct = workerData as Conduct
let client: Client | undefined
const stop = new AbortController()
// Each download listens.
setMaxListeners(0, stop.signal)
const letGo = startLettingGo()
const port = parentPort!
const say = (message: FromDownloader) => port.postMessage(message)

/** Milliseconds between two messages of progress. */
const pause = 100

const running = new Set<Promise<void>>()

port.on('message', (message: ToDownloader) => {
  if (message.kind === 'stop') endAll()
  else {
    const one = fetchOne(message.id, message.job).finally(() => running.delete(one))
    running.add(one)
  }
})

async function endAll(): Promise<void> {
  stop.abort(new Error('stopped'))
  await Promise.all(running)
  await client?.close()
  say({ kind: 'stopped' })
}

async function fetchOne(id: number, job: DownloadJob): Promise<void> {
  let news = { received: 0, there: 0 }
  const tell = () => {
    if (news.received === 0 && news.there === 0) return
    say({ kind: 'progress', id, ...news })
    news = { received: 0, there: 0 }
  }
  const timer = setInterval(tell, pause)
  try {
    client ??= startClient(conduct)
    const downloaded = await transferFile(job, {
      ...{ client, conduct, signal: stop.signal },
      onProgress(received, there) {
        letGo(received)
        news = { received: news.received + received, there: news.there + there }
      },
      onNote: message => say({ kind: 'note', id, message }),
    })
    tell()
    say({ kind: 'done', id, ...downloaded })
  } catch (error) {
    tell()
    say({ kind: 'failed', id, error: asEnvdError(error).toJSON() })
  } finally {
    clearInterval(timer)
  }
}
