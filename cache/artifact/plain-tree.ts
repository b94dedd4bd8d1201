import { linkSync, lstatSync, mkdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { escapeName } from '../../src/tree/escaped-name.ts'
import { formatManifest, type TreeEntry } from '../../src/tree/manifest.ts'
import { blobPath } from '../blob/blob-path.ts'
import { linkOrRenew } from '../blob/link/link-or-renew.ts'
import { takeInFiles } from '../blob/take-in-files.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { type Found, walkTree } from '../disk/walk-tree.ts'
import { sealedMode } from '../environment/seal/set-modes.ts'
import { stagingFolder, stagingTree } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { sealFolders } from './seal-folders.ts'

export interface PlainTree {
  /** `staging/<id>/tree`, where files may be put. */
  readonly folder: string
  /** A file whose contents are a blob already. */
  addBlob(path: string, content: { readonly sha256: string; readonly size: number }): void
  /** Links a blob beside the tree, so that nobody collects it meanwhile; returns where. */
  keepBlob(sha256: string): string
  /** Makes all files blobs and the tree read-only; returns its canonical text. */
  seal(
    options: SealOptions,
  ): Promise<{ readonly manifest: string; readonly files: number; readonly bytes: number }>
}

interface SealOptions {
  readonly signal: AbortSignal
  /** Bytes hashed, and bytes found so far. */
  readonly onProgress?: (done: number, total: number) => void
}

/** A folder of files as they come, while it is made. Errors of `seal`: as takeInFiles; TREE_UNSUPPORTED. */
export function startPlainTree(volume: Volume, staging: string): PlainTree {
  requireOwner(volume)
  const folder = stagingTree(volume, staging)
  const workshop = stagingFolder(volume, staging)
  const known = new Map<string, string>()
  onMachine(folder, () => makeFolders(folder))

  function link(sha256: string, executable: boolean, to: string | Buffer): void {
    linkOrRenew(blobPath(volume, sha256, executable), { sha256, executable }, to, workshop)
  }

  /** The store had the content: its file takes the place of ours. */
  function becomeLink(file: Found, sha256: string): void {
    const executable = (file.mode & 0o111) !== 0
    const blob = lstatSync(blobPath(volume, sha256, executable))
    if (blob.ino === file.inode) return
    const temporary = join(workshop, 'relinked')
    link(sha256, executable, temporary)
    renameSync(temporary, file.place)
  }

  return {
    folder,
    addBlob(path, { sha256 }) {
      const place = join(folder, path)
      onMachine(place, () => mkdirSync(dirname(place), { recursive: true }))
      link(sha256, false, place)
      known.set(escapeName(Buffer.from(path)), sha256)
    },
    keepBlob(sha256) {
      const place = join(workshop, 'kept')
      onMachine(place, () => linkSync(blobPath(volume, sha256, false), place))
      return place
    },
    async seal({ signal, onProgress }) {
      const found: Found[] = []
      async function* files() {
        for await (const batch of walkTree(folder)) {
          found.push(...batch)
          yield batch.filter(({ kind, path }) => kind === 'file' && !known.has(path)).map(asDeposit)
        }
      }
      const taken = await takeInFiles(volume, files(), { staging, signal, onProgress })
      const digests = new Map(known)
      for (const [{ file }, sha256] of taken.digests) {
        digests.set(file.path, sha256)
        onMachine(folder, () => becomeLink(file, sha256))
      }
      const entries = found.map(entry => treeEntry(entry, digests.get(entry.path)))
      sealFolders(folder, entries)
      const bytes = found.reduce((sum, { size }) => sum + size, 0)
      return {
        manifest: formatManifest(entries),
        files: found.filter(({ kind }) => kind === 'file').length,
        bytes,
      }
    },
  }
}

function asDeposit(file: Found) {
  return { file, place: file.place, size: file.size, executable: (file.mode & 0o111) !== 0 }
}

/** An entry of a sealed tree. */
export function treeEntry(entry: Found, sha256: string | undefined): TreeEntry {
  const { kind, path, size, target } = entry
  if (kind === 'link') return { kind, path, target }
  if (kind === 'directory') return { kind, path, mode: sealedMode(entry) }
  return { kind, path, mode: sealedMode(entry), size, sha256: sha256! }
}
