import { hash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { blobPath } from '../../blob/blob-path.ts'
import { hasErrno } from '../../disk/machine-error.ts'
import { blobsFolder } from '../../volume/layout.ts'
import { blobName, type Content, modeDetail, type Problem, sizeDamage } from '../problem.ts'
import type { Suspect, ThreadData } from './check-job.ts'
import { NumberTable, type NumberTableMemory } from './number-table.ts'
import type { Sampler } from './sample/sampler.ts'
import { keepSamples, SampleRecords, Samples } from './sample/samples.ts'
import { escapedPath, readTreeText } from './tree-text.ts'

export interface Reports {
  problem(problem: Problem): void
  suspect(suspect: Suspect): void
}

/** Checks this thread's share of the blobs, each once: by what is on the outside, and samples. */
export class BlobCheck {
  readonly #data: ThreadData
  readonly #sampler: Sampler
  readonly #reports: Reports
  /** Inode of each blob by `blobNumber`; 0: there is none. */
  readonly #inodes = new NumberTable()
  readonly #samples = new Map<string, Samples>()
  /** Of contents that are being hashed. */
  #fresh = new SampleRecords()
  readonly #buffer = Buffer.allocUnsafeSlow(256 * 1024)
  checked = 0
  /** Here, and not left to others. */
  readonly hashed = { files: 0, bytes: 0 }

  constructor(data: ThreadData, sampler: Sampler, reports: Reports) {
    this.#data = data
    this.#sampler = sampler
    this.#reports = reports
  }

  /** What packages consist of. */
  checkTrees(digests: readonly string[]): void {
    for (const digest of digests) {
      const tree = readTreeText(this.#data, digest)
      if (!('text' in tree)) continue
      scanManifest(tree.text, {
        file: (_, sha256, executable, size) => {
          if (!this.#isMine(sha256)) return
          const number = blobNumber({ sha256, executable })
          if (this.#inodes.get(number) === undefined) this.#check({ sha256, executable }, number, size)
        },
      })
    }
  }

  /** What else lies in this thread's folders: contents that no package has, and what is none. */
  checkFolders(): void {
    const folder = blobsFolder(this.#data)
    for (const prefix of readdirSync(folder, 'latin1')) {
      if (!/^[0-9a-f]{2}$/.test(prefix)) {
        if (this.#data.thread === 0) this.#foreign(`blobs/${prefix}`, 'no folder of blobs')
      } else if (this.#isMine(prefix)) this.#checkFolder(folder, prefix)
    }
  }

  share(): NumberTableMemory {
    return this.#inodes.share()
  }

  /** Throws system errors. */
  keepSamples(except: ReadonlySet<string>): void {
    keepSamples(this.#data, this.#fresh, except)
    this.#fresh = new SampleRecords()
  }

  #isMine(sha256: string): boolean {
    return ownerOfBlob(sha256, this.#data.threads) === this.#data.thread
  }

  #checkFolder(folder: string, prefix: string): void {
    let names: string[]
    try {
      names = readdirSync(join(folder, prefix), 'latin1')
    } catch (error) {
      if (!hasErrno(error, 'ENOTDIR')) throw error
      this.#foreign(`blobs/${prefix}`, 'no folder of blobs')
      return
    }
    for (const name of names) {
      const match = /^([0-9a-f]{64})(\.x)?$/.exec(name)
      if (match === null || !name.startsWith(prefix)) {
        this.#foreign(`blobs/${prefix}/${name}`, 'not the name of a blob of this folder')
        continue
      }
      const content = { sha256: match[1]!, executable: match[2] !== undefined }
      const number = blobNumber(content)
      if (this.#inodes.get(number) === undefined) this.#check(content, number, null)
    }
  }

  /** `size` is null where no package says it. */
  #check(content: Content, number: number, size: number | null): void {
    this.checked += 1
    this.#inodes.set(number, 0)
    const problem = (rest: Pick<Problem, 'damage' | 'detail'>, inode: number | null = null) =>
      this.#reports.problem({ path: blobName(content), content, inode, ...rest })
    let fd: number
    try {
      fd = openSync(
        blobPath(this.#data, content.sha256, content.executable),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
    } catch (error) {
      problem(openingDamage(error))
      return
    }
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) {
        problem({ damage: 'changed', detail: 'not a file' })
        return
      }
      this.#inodes.set(number, stats.ino)
      if (size !== null && stats.size !== size) problem(sizeDamage(stats.size, size), stats.ino)
      else this.#checkContents(fd, content, stats)
    } finally {
      closeSync(fd)
    }
  }

  /** Small files are hashed here; the big ones, and what seems damaged, are left to threads that share them evenly. */
  #checkContents(fd: number, content: Content, stats: Stats): void {
    const { sha256 } = content
    const reference = this.#samplesOf(sha256.slice(0, 2)).find(sha256)
    const wrong = wrongOutside(stats, content.executable)
    if (this.#data.quick && wrong === null && reference?.size === stats.size) {
      const sample = unlessUnreadable(() => this.#sampler.ofFile(fd, stats.size))
      if (sample !== null && Buffer.compare(reference.sample, sample) === 0) return
    }
    const bytes = unlessUnreadable(() => this.#readSmall(fd, stats.size))
    if (bytes !== null && wrong === null && hash('sha256', bytes) === sha256) {
      this.hashed.files += 1
      this.hashed.bytes += bytes.length
      if (reference === null) {
        this.#fresh.add({ sha256, size: stats.size, sample: this.#sampler.ofBytes(bytes) })
      }
      return
    }
    if (reference === null) {
      const sample = unlessUnreadable(() => this.#sampler.ofFile(fd, stats.size))
      if (sample !== null) this.#fresh.add({ sha256, size: stats.size, sample })
    }
    const file = { path: null, shared: true, size: stats.size, inode: stats.ino }
    this.#reports.suspect({ ...file, content, wrong })
  }

  /** Null for what is big, or not as long as it was. */
  #readSmall(fd: number, size: number): Buffer | null {
    if (size >= this.#buffer.length) return null
    return readSync(fd, this.#buffer, 0, size + 1, 0) === size ? this.#buffer.subarray(0, size) : null
  }

  #samplesOf(prefix: string): Samples {
    const known = this.#samples.get(prefix)
    if (known !== undefined) return known
    const samples = new Samples(this.#data, prefix)
    this.#samples.set(prefix, samples)
    return samples
  }

  #foreign(raw: string, detail: string): void {
    this.#reports.problem({
      damage: 'foreign',
      path: escapedPath(raw),
      content: null,
      inode: null,
      detail,
    })
  }
}

/** By the folder it lies in. */
export function ownerOfBlob(sha256: string, threads: number): number {
  return Number.parseInt(sha256.slice(0, 2), 16) % threads
}

/**
 * A blob as a number below 2^53: 52 bits of its digest beyond those that chose the thread, and whether it can be
 * executed. Two of a million blobs share one with a probability of 1 in 10,000.
 */
export function blobNumber({ sha256, executable }: Content): number {
  return Number.parseInt(sha256.slice(2, 15), 16) * 2 + (executable ? 1 : 0)
}

/** What is wrong with a file of the store from the outside, its size left out. */
export function wrongOutside(stats: Stats, executable: boolean): Suspect['wrong'] {
  const mode = executable ? 0o555 : 0o444
  if ((stats.mode & 0o7777) !== mode) return { damage: 'mode', detail: modeDetail(stats.mode, mode) }
  if (stats.mtimeMs === STORE_MTIME * 1000) return null
  return { damage: 'time', detail: `modified at ${stats.mtime.toISOString()}` }
}

function openingDamage(error: unknown): Pick<Problem, 'damage' | 'detail'> {
  if (hasErrno(error, 'ENOENT')) return { damage: 'missing', detail: 'a package has it' }
  if (hasErrno(error, 'ELOOP', 'ENXIO')) return { damage: 'changed', detail: 'not a file' }
  return { damage: 'unreadable', detail: (error as Error).message }
}

/** What the disk can't read is hashed again by a thread that says why. */
function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (hasErrno(error, 'EIO')) return null
    throw error
  }
}
