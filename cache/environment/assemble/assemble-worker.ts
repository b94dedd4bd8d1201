import { hash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { treeFile } from '../../volume/layout.ts'
import type { AssembleAnswer, AssembleJob, Claim, ThreadData } from './assemble-job.ts'
import { claimsOf } from './claims-of.ts'
import { Placement } from './place-packages.ts'

const { root, tree, packages, taken } = workerData as ThreadData
const port = parentPort!
let placement: Placement
let buffer = Buffer.allocUnsafeSlow(1 << 20)

function work(job: AssembleJob): AssembleAnswer {
  switch (job.do) {
    case 'packages': {
      placement = new Placement(root, tree, job.skeleton, job.folderMode)
      for (const { index, manifest } of takePackages()) {
        placement.add(index, manifest.toString('latin1'))
        port.postMessage({ done: 'package', index } satisfies AssembleAnswer)
      }
      const { directories, counts, occupied, unlinked } = placement
      return { done: 'packages', directories, counts, occupied, unlinked }
    }
    case 'owners': {
      const claims: Claim[] = []
      for (const { index, manifest } of takePackages()) claims.push(...claimsOf(index, manifest, job.paths))
      return { done: 'owners', claims }
    }
    case 'close':
      return { done: 'close', diskBytes: placement.close() }
  }
}

port.on('message', (job: AssembleJob) => {
  let answer: AssembleAnswer
  try {
    answer = work(job)
  } catch (error) {
    const { code, syscall, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
    answer = { done: 'failed', code, syscall, path, dest, message }
  }
  port.postMessage(answer)
})

/** Each package that no other thread has, until all are taken. */
function* takePackages(): Generator<{ readonly index: number; readonly manifest: Buffer }> {
  for (;;) {
    const next = packages[Atomics.add(taken, 0, 1)]
    if (next === undefined) return
    yield { index: next.index, manifest: readManifest(next.digest) }
  }
}

/** Only until the next is read: the memory is the same. */
function readManifest(digest: string): Buffer {
  const file = treeFile({ root }, digest)
  const fd = openSync(file, 'r')
  try {
    const { size } = fstatSync(fd)
    if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(2 * size)
    const bytes = buffer.subarray(0, readSync(fd, buffer, 0, size, 0))
    if (hash('sha256', bytes) === digest) return bytes
  } finally {
    closeSync(fd)
  }
  throw Object.assign(new Error(`${file} is not the tree its name says`), {
    code: 'VOLUME_CORRUPT',
    path: file,
  })
}
