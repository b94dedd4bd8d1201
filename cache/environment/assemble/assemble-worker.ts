import { hash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { isPlain, unescapeName } from '../../../src/tree/escaped-name.ts'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { blobIn } from '../../blob/blob-path.ts'
import { linkBlob } from '../../blob/link/link-blob.ts'
import { hasErrno } from '../../disk/machine-error.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { blobsFolder, treeFile } from '../../volume/layout.ts'
import type {
  AssembleAnswer,
  AssembleJob,
  LinkCounts,
  Occupied,
  Skeleton,
  ThreadData,
  Unlinked,
} from './assemble-job.ts'

const { root, tree, packages, taken } = workerData as ThreadData
const blobs = blobsFolder({ root })
const treeBytes = Buffer.from(`${tree}/`)
/** Directories that are known to be there. */
const known = new Set<string>()
const made: string[] = []
const counts: LinkCounts = { files: 0, links: 0, bytes: 0 }
const occupied: Occupied[] = []
const unlinked: Unlinked[] = []

const jobs = {
  packages({ directories, others }: Skeleton): AssembleAnswer {
    for (const path of directories) known.add(path)
    const own = new Set(others)
    for (let next = take(); next !== undefined; next = take()) {
      const { index, digest } = next
      const text = readTree(digest)
      const open = makeDirectories(index, text, own)
      faultPoint('assemble:after-directories')
      if (open) linkFiles(index, text)
      port.postMessage({ done: 'package', index } satisfies AssembleAnswer)
    }
    return { done: 'packages', directories: made.length, counts, occupied, unlinked }
  },
  /** Whoever made a directory closes it. */
  close(): AssembleAnswer {
    let diskBytes = 0
    for (const path of made) {
      const place = placeOf(path)
      chmodSync(place, 0o555)
      diskBytes += lstatSync(place).blocks * 512
    }
    return { done: 'close', diskBytes }
  },
}

const port = parentPort!
port.on('message', (job: AssembleJob) => {
  let answer: AssembleAnswer
  try {
    answer = job.do === 'packages' ? jobs.packages(job.skeleton) : jobs.close()
  } catch (error) {
    const { code, syscall, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
    answer = { done: 'failed', code, syscall, path, dest, message }
  }
  port.postMessage(answer)
})

/** The next package that no thread has. */
function take(): ThreadData['packages'][number] | undefined {
  return packages[Atomics.add(taken, 0, 1)]
}

/** The manifest's bytes, one character each, so that a path is a cheap piece of it. */
function readTree(digest: string): string {
  const file = treeFile({ root }, digest)
  const bytes = readFileSync(file)
  if (hash('sha256', bytes) !== digest) {
    throw Object.assign(new Error(`${file} is not the tree its name says`), {
      code: 'VOLUME_CORRUPT',
      path: file,
    })
  }
  return bytes.toString('latin1')
}

/**
 * False where something else lies at the path of one. Nothing more of the package is made then: through a symbolic link
 * it would lie who knows where.
 */
function makeDirectories(index: number, text: string, own: ReadonlySet<string>): boolean {
  let open = true
  scanManifest(text, {
    directory(path) {
      if (!open || known.has(path)) return
      open = !own.has(textOf(path)) && isDirectory(path)
      if (open) known.add(path)
      else occupied.push({ index, path: textOf(path) })
    },
  })
  return open
}

/** Made here, or by another thread. */
function isDirectory(path: string): boolean {
  const place = placeOf(path)
  try {
    mkdirSync(place, 0o755)
    made.push(path)
    return true
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
    return lstatSync(place).isDirectory()
  }
}

function linkFiles(index: number, text: string): void {
  scanManifest(text, {
    file(path, sha256, executable, size) {
      const outcome = linkBlob(blobIn(blobs, sha256, executable), placeOf(path))
      if (outcome === 'linked') {
        counts.files += 1
        counts.bytes += size
      } else if (outcome === 'exists') occupied.push({ index, path: textOf(path) })
      else unlinked.push({ index, path: textOf(path), sha256, executable, size })
    },
    link(path, target) {
      if (makeLink(path, target)) counts.links += 1
      else occupied.push({ index, path: textOf(path) })
    },
  })
}

function makeLink(path: string, target: string): boolean {
  try {
    symlinkSync(isPlain(target) ? target : bytesOf(target), placeOf(path))
    return true
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false
    throw error
  }
}

function placeOf(path: string): string | Buffer {
  return isPlain(path) ? `${tree}/${path}` : Buffer.concat([treeBytes, bytesOf(path)])
}

/** The bytes that a piece of a manifest stands for. */
function bytesOf(latin1: string): Buffer {
  return Buffer.from(unescapeName(textOf(latin1)))
}

function textOf(latin1: string): string {
  return isPlain(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8')
}
