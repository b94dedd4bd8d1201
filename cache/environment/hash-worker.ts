import { createHash, hash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What hash-files.ts sends to a thread. */
export interface HashJob {
  readonly id: number
  readonly files: readonly { readonly place: string | Uint8Array; readonly size: number }[]
}

/** What comes back. */
export interface HashAnswer {
  readonly id: number
  /** 64 hex digits for each file, up to the one that failed. */
  readonly digests: readonly string[]
  readonly failed: {
    readonly index: number
    readonly code: string | undefined
    readonly syscall: string | undefined
    readonly message: string
  } | null
}

/** All the memory a thread needs for contents; small enough to stay in the core's cache. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

const port = parentPort!
port.on('message', (job: HashJob) => port.postMessage(hashJob(job)))

function hashJob({ id, files }: HashJob): HashAnswer {
  const digests: string[] = []
  for (const [index, { place, size }] of files.entries()) {
    try {
      digests.push(hashFile(place, size))
    } catch (error) {
      const { code, syscall, message } = error as NodeJS.ErrnoException
      return { id, digests, failed: { index, code, syscall, message } }
    }
  }
  return { id, digests, failed: null }
}

function hashFile(place: string | Uint8Array, size: number): string {
  const fd = openSync(
    typeof place === 'string' ? place : Buffer.from(place),
    constants.O_RDONLY | constants.O_NOFOLLOW,
  )
  try {
    // Room for one byte more than there should be: one read tells that the file ends where it should.
    const digest = size < buffer.length ? hashSmall(fd, size) : hashBig(fd, size)
    if (digest === null) throw new Error(`it had ${size} bytes a moment ago; something is writing it`)
    return digest
  } finally {
    closeSync(fd)
  }
}

function hashSmall(fd: number, size: number): string | null {
  const read = readSync(fd, buffer, 0, size + 1, null)
  return read === size ? hash('sha256', buffer.subarray(0, size)) : null
}

function hashBig(fd: number, size: number): string | null {
  const digest = createHash('sha256')
  let total = 0
  for (;;) {
    const read = readSync(fd, buffer, 0, buffer.length, null)
    if (read === 0) return total === size ? digest.digest('hex') : null
    total += read
    digest.update(buffer.subarray(0, read))
  }
}
