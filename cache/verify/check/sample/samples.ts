import { hash } from 'node:crypto'
import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasErrno } from '../../../disk/machine-error.ts'
import { makeFolder } from '../../../disk/make-folder.ts'
import { type At, samplesFile } from '../../../volume/layout.ts'
import { NumberTable } from '../number-table.ts'

/**
 * What quick verification compares contents with, `samples/<aa>` for the blobs of `blobs/<aa>`. Records of 64 bytes,
 * in any order, appended:
 *
 *     0   sha256 of the content
 *     32  xxh128 of its head, middle and tail (sampler.ts)
 *     48  its size, 64 bits, big-endian
 *     56  the first 8 bytes of sha256 of the 56 before
 *
 * Written only for contents whose sha256 was taken or checked in the same run. One file for each folder of blobs, and not one
 * for each package: contents that many packages share have one record, and a thread needs only those of its folders.
 * Nothing depends on them: without a record the content is hashed.
 */
export interface SampleRecord {
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  /** 16 bytes. */
  readonly sample: Uint8Array
}

const length = 64

/** Of one folder of blobs, as they were when it was read. */
export class Samples {
  readonly #bytes: Buffer
  readonly #places = new NumberTable()

  constructor(at: At, prefix: string) {
    this.#bytes = readIfThere(samplesFile(at, prefix))
    for (let place = 0; place + length <= this.#bytes.length; place += length) {
      this.#places.set(this.#bytes.readUIntBE(place + 1, 6), place)
    }
  }

  find(sha256: string): Omit<SampleRecord, 'sha256'> | null {
    const place = this.#places.get(Number.parseInt(sha256.slice(2, 14), 16))
    if (place === undefined) return null
    const record = this.#bytes.subarray(place, place + length)
    if (record.toString('hex', 0, 32) !== sha256 || !isWhole(record)) return null
    return { size: Number(record.readBigUInt64BE(48)), sample: record.subarray(32, 48) }
  }
}

/** Records on their way to their files, in flat memory. */
export class SampleRecords {
  #bytes = Buffer.alloc(64 * length)
  #end = 0

  add({ sha256, sample, size }: SampleRecord): void {
    if (this.#end === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#end)])
    const record = this.#bytes.subarray(this.#end, this.#end + length)
    record.write(sha256, 0, 'hex')
    record.set(sample, 32)
    record.writeBigUInt64BE(BigInt(size), 48)
    record.set(checkOf(record), 56)
    this.#end += length
  }

  /** Records that are whole, as `bytes` gives them. */
  addAll(records: Uint8Array): void {
    while (this.#end + records.length > this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    }
    this.#bytes.set(records, this.#end)
    this.#end += records.length
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end)
  }

  /** But those of some contents. */
  byPrefix(except: ReadonlySet<string>): ReadonlyMap<string, readonly Buffer[]> {
    const found = new Map<string, Buffer[]>()
    for (let place = 0; place < this.#end; place += length) {
      const record = this.#bytes.subarray(place, place + length)
      if (except.has(record.toString('hex', 0, 32))) continue
      const prefix = record.toString('hex', 0, 1)
      const records = found.get(prefix)
      if (records === undefined) found.set(prefix, [record])
      else records.push(record)
    }
    return found
  }
}

/** Adds to what there is, but samples of some contents. Throws system errors. */
export function keepSamples(at: At, records: SampleRecords, except: ReadonlySet<string> = new Set()): void {
  for (const [prefix, some] of records.byPrefix(except)) appendSamples(at, prefix, some)
}

/** A file that a crash left with a piece of a record is written anew. */
function appendSamples(at: At, prefix: string, records: readonly Buffer[]): void {
  const file = samplesFile(at, prefix)
  makeFolder(dirname(file))
  const added = Buffer.concat(records)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) % length === 0) {
    appendFileSync(file, added, { mode: 0o644 })
    return
  }
  const there = readIfThere(file)
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, Buffer.concat([there.subarray(0, there.length - (there.length % length)), added]))
  renameSync(temporary, file)
}

function isWhole(record: Buffer): boolean {
  return checkOf(record).equals(record.subarray(56))
}

function checkOf(record: Buffer): Buffer {
  return hash('sha256', record.subarray(0, 56), 'buffer').subarray(0, 8)
}

function readIfThere(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return Buffer.alloc(0)
    throw error
  }
}
