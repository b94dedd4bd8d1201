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
  ThreadData,
  Unlinked,
} from './assemble-job.ts'

/** A package's tree: its manifest's bytes, one character each, so that a path is a cheap piece of it. */
interface Package {
  readonly index: number
  readonly text: string
}

const { root, tree, packages: trees, skeleton } = workerData as ThreadData
const blobs = blobsFolder({ root })
const treeBytes = Buffer.from(`${tree}/`)
const known = new Set(skeleton.directories)
const taken = new Set(skeleton.others)
const made: string[] = []
let packages: readonly Package[] = []

const jobs = {
  directories(): AssembleAnswer {
    packages = trees.map(({ index, digest }) => ({ index, text: readTree(digest) }))
    const occupied: Occupied[] = []
    for (const { index, text } of packages) {
      scanManifest(text, {
        directory(path) {
          if (taken.has(textOf(path))) occupied.push({ index, path: textOf(path) })
          else makeDirectory(path)
        },
      })
    }
    faultPoint('assemble:after-directories')
    return { done: 'directories', made: made.length, occupied }
  },
  links(): AssembleAnswer {
    const counts: LinkCounts = { files: 0, links: 0, bytes: 0 }
    const occupied: Occupied[] = []
    const unlinked: Unlinked[] = []
    for (const { index, text } of packages) {
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
      port.postMessage({ done: 'package', index } satisfies AssembleAnswer)
    }
    return { done: 'links', counts, occupied, unlinked }
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
    answer = jobs[job]()
  } catch (error) {
    const { code, syscall, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
    answer = { done: 'failed', code, syscall, path, dest, message }
  }
  port.postMessage(answer)
})

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

function makeDirectory(path: string): void {
  if (known.has(path)) return
  known.add(path)
  try {
    mkdirSync(placeOf(path), 0o755)
    made.push(path)
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
  }
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
