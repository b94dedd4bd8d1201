import { createHash } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { escapeName } from '../../src/tree/escaped-name.ts'
import { formatManifest, type TreeEntry } from '../../src/tree/manifest.ts'
import { blobPath } from '../blob/blob-path.ts'
import { depositOne } from '../blob/deposit-one.ts'
import { linkOrRenew } from '../blob/link/link-or-renew.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { stagingFolder, stagingTree } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { sealFolders } from './seal-folders.ts'

/** A file of a repository whose contents are a blob of the store. */
export interface HubTreeFile {
  /** In the repository. */
  readonly path: string
  /** What the client calls its contents: sha256 of an LFS file, else git's id of the blob. */
  readonly etag: string
  readonly sha256: string
  readonly size: number
}

/** A repository's folder in the hub's cache, while it is made in `staging/<id>/tree`. */
export interface HubTree {
  /** Links a blob; whoever collects what nothing links spares it from here on. */
  addBlob(etag: string, sha256: string): void
  /** After all blobs: the canonical text of the sealed tree. */
  seal(files: readonly HubTreeFile[]): {
    readonly manifest: string
    readonly files: number
    readonly bytes: number
  }
}

/**
 * The layout of huggingface_hub's cache (its documentation, "Manage huggingface_hub cache-system"), below
 * `models--org--name/`:
 *
 *     blobs/<etag>                   contents: hard links to blobs of the store
 *     snapshots/<commit>/<path>      symbolic links to ../../blobs/<etag>, relative as the client's own
 *     refs/main                      the commit, without a line feed: what offline clients take for no revision
 *
 * All there is to look up is there, so that no client wants to write; `trees/`, which the client keeps for itself of
 * what it was asked, is left out.
 */
export function startHubTree(volume: Volume, staging: string, commit: string): HubTree {
  requireOwner(volume)
  const tree = stagingTree(volume, staging)
  const linked = new Map<string, string>()
  onMachine(tree, () => {
    for (const name of ['blobs', 'refs', `snapshots/${commit}`]) makeFolders(join(tree, name))
  })

  function link(path: string, sha256: string): void {
    const blob = blobPath(volume, sha256, false)
    linkOrRenew(blob, { sha256, executable: false }, join(tree, path), stagingFolder(volume, staging))
  }

  return {
    addBlob(etag, sha256) {
      if (linked.has(etag)) return
      link(`blobs/${etag}`, sha256)
      linked.set(etag, sha256)
    },
    seal(files) {
      const snapshot = `snapshots/${commit}`
      const folders = new Set(['blobs', 'refs', 'snapshots', snapshot])
      const entries: TreeEntry[] = []
      for (const { path, etag } of files) {
        const place = `${snapshot}/${path}`
        const target = `${'../'.repeat(path.split('/').length + 1)}blobs/${etag}`
        for (let folder = dirname(place); !folders.has(folder); folder = dirname(folder)) folders.add(folder)
        onMachine(tree, () => {
          mkdirSync(dirname(join(tree, place)), { recursive: true })
          symlinkSync(target, join(tree, place))
        })
        entries.push({ kind: 'link', path: escaped(place), target: escaped(target) })
      }
      const sizes = new Map(files.map(({ etag, size }) => [etag, size]))
      for (const [etag, size] of sizes) {
        entries.push({ kind: 'file', path: `blobs/${etag}`, mode: 0o444, size, sha256: linked.get(etag)! })
      }
      entries.push(addRef(volume, staging, commit))
      for (const folder of folders) entries.push({ kind: 'directory', path: escaped(folder), mode: 0o555 })
      sealFolders(tree, entries)
      const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
      return { manifest: formatManifest(entries), files: files.length, bytes }
    },
  }
}

/** `refs/main`, a blob as everything. */
function addRef(volume: Volume, staging: string, commit: string): TreeEntry {
  const place = join(stagingTree(volume, staging), 'refs/main')
  const written = join(stagingFolder(volume, staging), 'ref')
  const sha256 = createHash('sha256').update(commit).digest('hex')
  onMachine(written, () => writeFileSync(written, commit))
  depositOne(volume, { place: written, size: commit.length, executable: false }, sha256, staging)
  const blob = blobPath(volume, sha256, false)
  linkOrRenew(blob, { sha256, executable: false }, place, stagingFolder(volume, staging))
  return { kind: 'file', path: 'refs/main', mode: 0o444, size: commit.length, sha256 }
}

function escaped(path: string): string {
  return escapeName(Buffer.from(path))
}
