import { parentPort } from 'node:worker_threads'
import { type HashJob, hashJob } from './hash-job.ts'

const port = parentPort!
port.on('message', async (job: HashJob) => port.postMessage(await hashJob(job)))
