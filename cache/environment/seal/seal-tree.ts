import { chmodSync } from 'node:fs'
import { formatManifest, type TreeEntry, treeDigest } from '../../../src/tree/manifest.ts'
import { startHashing } from '../../blob/hash-files.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { type Found, walkTree } from '../../disk/walk-tree.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { sealedMode, setModes } from './set-modes.ts'

export interface SealedTree {
  /** Canonical text (src/tree/manifest.ts). */
  readonly manifest: string
  /** sha256 of it: the tree's name. */
  readonly digest: string
  readonly files: number
  /** The root not counted. */
  readonly directories: number
  readonly links: number
  /** Sum of file sizes, in bytes. */
  readonly apparentBytes: number
}

export interface SealOptions {
  readonly signal?: AbortSignal
  /** Bytes hashed, and bytes found so far: the total grows until the walk is done. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Makes a staging tree read-only and names every byte in it: modes 0444 and 0555, sha256 of each file. Threads
 * hash while this one walks and sets modes; a file's mode is set before it is hashed.
 * Errors: TREE_UNSUPPORTED (a device, socket or pipe), IO, the signal's reason.
 */
export async function sealTree(root: string, options: SealOptions = {}): Promise<SealedTree> {
  const found: Found[] = []
  const hashing = startHashing<Found>(options)
  try {
    faultPoint('seal:before-modes')
    for await (const batch of walkTree(root)) {
      options.signal?.throwIfAborted()
      setModes(batch)
      hashing.add(batch.filter(({ kind }) => kind === 'file'))
      found.push(...batch)
    }
    onMachine(root, () => chmodSync(root, 0o555))
    const digests = await hashing.finish()
    faultPoint('seal:before-manifest')
    const manifest = formatManifest(found.map(entry => treeEntry(entry, digests)))
    const count = (kind: Found['kind']) => found.filter(entry => entry.kind === kind).length
    return {
      manifest,
      digest: treeDigest(manifest),
      files: count('file'),
      directories: count('directory'),
      links: count('link'),
      apparentBytes: found.reduce((bytes, { size }) => bytes + size, 0),
    }
  } finally {
    await hashing.stop()
  }
}

function treeEntry(entry: Found, digests: ReadonlyMap<Found, string>): TreeEntry {
  const { kind, path, size, target } = entry
  if (kind === 'link') return { kind, path, target }
  if (kind === 'directory') return { kind, path, mode: sealedMode(entry) }
  return { kind, path, mode: sealedMode(entry), size, sha256: digests.get(entry)! }
}
