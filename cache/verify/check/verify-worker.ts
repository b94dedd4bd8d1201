import { parentPort, workerData } from 'node:worker_threads'
import type { Problem } from '../problem.ts'
import { BlobCheck, type Reports } from './check-blobs.ts'
import type { CheckAnswer, CheckJob, Suspect, ThreadData } from './check-job.ts'
import { checkTree } from './check-tree.ts'
import { NumberTable } from './number-table.ts'
import { loadSampler } from './sample/sampler.ts'

const data = workerData as ThreadData
const port = parentPort!
const say = (answer: CheckAnswer) => port.postMessage(answer)

/** Reports that go together, so that messages cost little. */
const most = 500
let problems: Problem[] = []
let suspects: Suspect[] = []
const reports: Reports = {
  problem: problem => {
    if (problems.push(problem) >= most) flush()
  },
  suspect: suspect => {
    if (suspects.push(suspect) >= most) flush()
  },
}

function flush(): void {
  if (problems.length + suspects.length === 0) return
  say({ done: 'some', problems, suspects })
  problems = []
  suspects = []
}

const blobs = loadSampler().then(sampler => new BlobCheck(data, sampler, reports))
let inodes: readonly NumberTable[] = []

async function work(job: CheckJob): Promise<CheckAnswer> {
  const check = await blobs
  switch (job.do) {
    case 'blobs':
      check.checkTrees(job.trees)
      if (job.all) check.checkFolders()
      return { done: 'blobs', checked: check.checked, hashed: check.hashed, table: check.share() }
    case 'share':
      inodes = job.tables.map(memory => new NumberTable(memory))
      return { done: 'share' }
    case 'tree':
      return { done: 'tree', checked: checkTree(data, job, inodes, reports) }
    case 'samples':
      check.keepSamples(new Set(job.except))
      return { done: 'samples' }
  }
}

port.on('message', (job: CheckJob) =>
  work(job).then(
    answer => {
      flush()
      say(answer)
    },
    error => say({ done: 'failed', error }),
  ),
)
