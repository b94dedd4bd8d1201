import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { formatManifest, type TreeEntry, treeDigest } from '../../src/tree/manifest.ts'
import { blobPath } from '../blob/blob-path.ts'
import { linkOrRenew } from '../blob/link/link-or-renew.ts'
import { takeInFiles } from '../blob/take-in-files.ts'
import { onMachine } from '../disk/machine-error.ts'
import { placeIn } from '../disk/place-in.ts'
import { type Found, walkTree } from '../disk/walk-tree.ts'
import { sealedMode } from '../environment/seal/set-modes.ts'
import { stagingFolder, stagingTree } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

export interface TakeInPythonOptions {
  /** Id of the staging folder. */
  readonly staging: string
  readonly signal?: AbortSignal | undefined
  /** Bytes hashed, and bytes found so far. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined
}

export interface PythonTakenIn {
  /** Canonical text (src/tree/manifest.ts). */
  readonly manifest: string
  readonly digest: string
  readonly files: number
  /** Sum of file sizes. */
  readonly bytes: number
  /** What the store did not have. */
  readonly added: { readonly files: number; readonly bytes: number }
  /** Names of blobs that were found damaged; a good one lies in their place. */
  readonly damaged: readonly string[]
}

interface Copied extends Found {
  readonly executable: boolean
}

/**
 * Makes blobs of the files below `copy`, a folder of the staging folder, and `staging/<id>/tree` of hard links to
 * them, sealed. `copy` is used up. Durable when it is published. Errors: as takeInFiles and linkOrRenew,
 * TREE_UNSUPPORTED.
 */
export async function takeInPython(
  volume: Volume,
  copy: string,
  options: TakeInPythonOptions,
): Promise<PythonTakenIn> {
  const found: Copied[] = []
  async function* files(): AsyncGenerator<readonly Copied[]> {
    for await (const batch of walkTree(copy)) {
      const copied = batch.map(one => ({ ...one, executable: sealedMode(one) === 0o555 }))
      found.push(...copied)
      yield copied.filter(({ kind }) => kind === 'file')
    }
  }
  const { digests, added, damaged } = await takeInFiles(volume, files(), options)
  const entries = found.map(one => entryOf(one, digests))
  linkTree(volume, options.staging, entries)
  const manifest = formatManifest(entries)
  const ofFiles = found.filter(({ kind }) => kind === 'file')
  return {
    ...{ manifest, digest: treeDigest(manifest), added, damaged },
    files: ofFiles.length,
    bytes: ofFiles.reduce((bytes, { size }) => bytes + size, 0),
  }
}

function entryOf(one: Copied, digests: ReadonlyMap<Copied, string>): TreeEntry {
  const { kind, path, size, target } = one
  if (kind === 'link') return { kind, path, target }
  if (kind === 'directory') return { kind, path, mode: 0o555 }
  return { kind, path, mode: sealedMode(one), size, sha256: digests.get(one)! }
}

/** `entries`: each folder before what it holds. */
function linkTree(volume: Volume, staging: string, entries: readonly TreeEntry[]): void {
  const tree = stagingTree(volume, staging)
  const folders = entries.filter(({ kind }) => kind === 'directory').map(({ path }) => placeIn(tree, path))
  onMachine(tree, () => {
    mkdirSync(tree)
    for (const entry of entries) {
      const place = placeIn(tree, entry.path)
      if (entry.kind === 'directory') mkdirSync(place)
      else if (entry.kind === 'link') symlinkSync(entry.target, place)
      else {
        const content = { sha256: entry.sha256, executable: entry.mode === 0o555 }
        const blob = blobPath(volume, content.sha256, content.executable)
        linkOrRenew(blob, content, place, stagingFolder(volume, staging))
      }
    }
    for (const folder of [tree, ...folders]) chmodSync(folder, 0o555)
  })
}
