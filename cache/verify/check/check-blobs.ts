import { closeSync, constants, fstatSync, openSync, readdirSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { blobPath } from '../../blob/blob-path.ts'
import { blobsFolder } from '../../volume/layout.ts'
import { hasErrno } from '../../volume/machine-error.ts'
import { type Content, contentName, modeDetail, type Problem, sizeDamage } from '../problem.ts'
import type { Suspect, ThreadData } from './check-job.ts'
import { NumberTable, type NumberTableMemory } from './number-table.ts'
import type { Sampler } from './sampler.ts'
import { appendSamples, type SampleRecord, Samples } from './samples.ts'
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
  #fresh: SampleRecord[] = []
  checked = 0

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
    const byPrefix = new Map<string, SampleRecord[]>()
    for (const record of this.#fresh) {
      if (except.has(record.sha256)) continue
      const prefix = record.sha256.slice(0, 2)
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), record])
    }
    for (const [prefix, records] of byPrefix) appendSamples(this.#data, prefix, records)
    this.#fresh = []
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
    const path = `blobs/${content.sha256.slice(0, 2)}/${contentName(content)}`
    const problem = (rest: Pick<Problem, 'damage' | 'detail'>, inode: number | null) =>
      this.#reports.problem({ path, content, inode, ...rest })
    let fd: number
    try {
      fd = openSync(
        blobPath(this.#data, content.sha256, content.executable),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      )
    } catch (error) {
      problem(openingDamage(error), null)
      return
    }
    try {
      const stats = fstatSync(fd)
      if (!stats.isFile()) {
        problem({ damage: 'changed', detail: 'not a file' }, null)
        return
      }
      this.#inodes.set(number, stats.ino)
      if (size !== null && stats.size !== size) problem(sizeDamage(stats.size, size), stats.ino)
      else if (!this.#passes(fd, content.sha256, stats, content.executable)) {
        const wrong = wrongOutside(stats, content.executable)
        this.#reports.suspect({ path, content, shared: true, wrong, size: stats.size, inode: stats.ino })
      }
    } catch (error) {
      problem({ damage: 'unreadable', detail: (error as Error).message }, null)
    } finally {
      closeSync(fd)
    }
  }

  /** Whether it needs no hashing. Where there is no sample yet, one is taken while the file is open. */
  #passes(fd: number, sha256: string, stats: Stats, executable: boolean): boolean {
    const reference = this.#samplesOf(sha256.slice(0, 2)).find(sha256)
    if (reference !== null && !this.#data.quick) return false
    const sample = this.#sampler(fd, stats.size)
    if (reference === null) {
      this.#fresh.push({ sha256, size: stats.size, sample })
      return false
    }
    const same = reference.size === stats.size && Buffer.compare(reference.sample, sample) === 0
    return same && wrongOutside(stats, executable) === null
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
