import { chmodSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { isPlain } from '../../../src/tree/escaped-name.ts'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { blobIn } from '../../blob/blob-path.ts'
import { linkBlob } from '../../blob/link/link-blob.ts'
import { hasErrno } from '../../disk/machine-error.ts'
import { diskBytes } from '../../disk/remove-folder.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { blobsFolder } from '../../volume/layout.ts'
import type { FolderMode, LinkCounts, Occupied, Skeleton, Unlinked } from './assemble-job.ts'
import { bytesOf, placesUnder, textOf } from './manifest-path.ts'

/** Puts packages into a tree, beside other threads that put in others. Throws system errors. */
export class Placement {
  readonly #placeOf: (path: string) => string | Buffer
  readonly #blobs: string
  readonly #folderMode: FolderMode
  /** Files and links that are there before any package. */
  readonly #own: ReadonlySet<string>
  /** Directories that are known to be there. */
  readonly #known: Set<string>
  readonly #made: string[] = []
  readonly counts: LinkCounts = { files: 0, links: 0, bytes: 0 }
  readonly occupied: Occupied[] = []
  readonly unlinked: Unlinked[] = []

  constructor(root: string, tree: string, skeleton: Skeleton, folderMode: FolderMode) {
    this.#placeOf = placesUnder(tree)
    this.#blobs = blobsFolder({ root })
    this.#folderMode = folderMode
    this.#own = new Set(skeleton.others)
    this.#known = new Set(skeleton.directories)
  }

  /** Directories that were made here. */
  get directories(): number {
    return this.#made.length
  }

  /** `manifest` as one character for each byte. */
  add(index: number, manifest: string): void {
    const open = this.#makeDirectories(index, manifest)
    faultPoint('assemble:after-directories')
    if (open) this.#linkFiles(index, manifest)
  }

  /** Seals the directories that were made here, and gives their disk blocks in bytes. */
  close(): number {
    let bytes = 0
    for (const path of this.#made) {
      const place = this.#placeOf(path)
      if (this.#folderMode !== 0o555) chmodSync(place, 0o555)
      bytes += diskBytes(lstatSync(place))
    }
    return bytes
  }

  /**
   * False where something else lies at the path of one. Nothing more of the package is made then: through a symbolic
   * link it would lie who knows where.
   */
  #makeDirectories(index: number, manifest: string): boolean {
    let open = true
    scanManifest(manifest, {
      directory: path => {
        if (!open || this.#known.has(path)) return
        open = !this.#own.has(textOf(path)) && this.#isDirectory(path)
        if (open) this.#known.add(path)
        else this.occupied.push({ index, path: textOf(path) })
      },
    })
    return open
  }

  /** Made here, or by another thread. */
  #isDirectory(path: string): boolean {
    const place = this.#placeOf(path)
    try {
      mkdirSync(place, this.#folderMode)
      this.#made.push(path)
      return true
    } catch (error) {
      if (!hasErrno(error, 'EEXIST')) throw error
      return lstatSync(place).isDirectory()
    }
  }

  #linkFiles(index: number, manifest: string): void {
    const { counts, occupied, unlinked } = this
    scanManifest(manifest, {
      file: (path, sha256, executable, size) => {
        const outcome = linkBlob(blobIn(this.#blobs, sha256, executable), this.#placeOf(path))
        if (outcome === 'linked') {
          counts.files += 1
          counts.bytes += size
        } else if (outcome === 'exists') occupied.push({ index, path: textOf(path) })
        else unlinked.push({ index, path: textOf(path), sha256, executable, size })
      },
      link: (path, target) => {
        if (this.#makeLink(path, target)) counts.links += 1
        else occupied.push({ index, path: textOf(path) })
      },
    })
  }

  #makeLink(path: string, target: string): boolean {
    try {
      symlinkSync(isPlain(target) ? target : bytesOf(target), this.#placeOf(path))
      return true
    } catch (error) {
      if (hasErrno(error, 'EEXIST')) return false
      throw error
    }
  }
}
