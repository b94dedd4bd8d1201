import { createHash, hash } from 'node:crypto'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { loadSampler, type Sampler } from '../verify/check/sample/sampler.ts'
import { SampleRecords } from '../verify/check/sample/samples.ts'
import { type Deposit, type DepositedFile, type Depository, depositFile } from './deposit-file.ts'

/** What hash-files.ts sends to a thread. */
export interface HashJob {
  readonly id: number
  readonly files: readonly {
    readonly place: string | Uint8Array
    readonly size: number
    readonly executable?: boolean
  }[]
  /** Where what was hashed becomes a blob. */
  readonly into: Depository | null
}

/** What comes back. */
export interface HashAnswer {
  readonly id: number
  /** 64 hex digits for each file, up to the one that failed. */
  readonly digests: readonly string[]
  /** The same for those that became blobs. */
  readonly deposits: readonly Deposit[]
  /** What quick verification will compare with the contents that the store did not have (check/samples.ts). */
  readonly samples: Uint8Array
  readonly failed: {
    readonly index: number
    readonly code: string | undefined
    readonly syscall: string | undefined
    /** Second path of the system call, for link(2). */
    readonly dest: string | undefined
    readonly message: string
  } | null
}

/** All the memory a thread needs for contents; small enough to stay in the core's cache. */
const buffer = Buffer.allocUnsafeSlow(256 * 1024)

let sampler: Sampler | undefined

/** Hashes files one after another, up to the first that fails. */
export async function hashJob({ id, files, into }: HashJob): Promise<HashAnswer> {
  if (into !== null) sampler ??= await loadSampler()
  const digests: string[] = []
  const deposits: Deposit[] = []
  const samples = new SampleRecords()
  for (const [index, { place, size, executable = false }] of files.entries()) {
    try {
      const file = { place: typeof place === 'string' ? place : Buffer.from(place), size, executable }
      const { digest, deposit } = hashFile(file, into, samples)
      digests.push(digest)
      if (deposit !== null) deposits.push(deposit)
    } catch (error) {
      const { code, syscall, message, dest } = error as NodeJS.ErrnoException & { dest?: string }
      const failed = { index, code, syscall, message, dest }
      return { id, digests, deposits, samples: samples.bytes(), failed }
    }
  }
  return { id, digests, deposits, samples: samples.bytes(), failed: null }
}

function hashFile(
  file: DepositedFile,
  into: Depository | null,
  samples: SampleRecords,
): { readonly digest: string; readonly deposit: Deposit | null } {
  const { place, size } = file
  const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    // Room for one byte more than there should be: one read tells that the file ends where it should.
    const digest = size < buffer.length ? hashSmall(fd, size) : hashBig(fd, size)
    if (digest === null) throw new Error(`it had ${size} bytes a moment ago; something is writing it`)
    if (into === null) return { digest, deposit: null }
    const deposit = depositFile(fd, file, digest, into)
    if (deposit !== 'known') samples.add({ sha256: digest, size, sample: sampleOf(fd, size) })
    return { digest, deposit }
  } finally {
    closeSync(fd)
  }
}

/** A short content is in memory still. */
function sampleOf(fd: number, size: number): Uint8Array {
  return size < buffer.length ? sampler!.ofBytes(buffer.subarray(0, size)) : sampler!.ofFile(fd, size)
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
