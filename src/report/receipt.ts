import type { Closure } from '../closure/closure.ts'
import type { Key } from '../digest.ts'
import { type CudaLevel, cudaLevels } from '../gpu/cuda-level.ts'
import type { Recipe } from '../key/recipe.ts'
import type { Target } from '../target/target.ts'

/**
 * Everything an environment depends on, and what it cost: `envs/<key>/receipt.json`. Sizes in bytes, times in
 * seconds. Addresses are written without credentials.
 */
export interface Receipt {
  readonly schemaVersion: 1
  readonly key: Key
  /** ISO 8601. */
  readonly createdAt: string
  /** What was left out of it included. */
  readonly closure: Closure
  readonly target: Target
  readonly recipe: Recipe
  readonly builtFrom: readonly BuiltFrom[]
  /** URLs of the indexes that were asked. */
  readonly indexes: readonly string[]
  readonly versions: { readonly envd: string; readonly uv: string }
  /** Sorted by name. */
  readonly packages: readonly ReceiptPackage[]
  readonly tree: ReceiptTree
  /** Paths that several packages have with different contents, and whose lies there (null: the virtualenv's own). */
  readonly conflicts: readonly {
    readonly path: string
    readonly owners: readonly string[]
    readonly winner: string | null
  }[]
  /** Copies of blobs that had as many links as the file system allows. */
  readonly linkCopies: number
  readonly seconds: Readonly<Record<string, number>>
  /** Disk blocks the build added to the volume, uv's cache included. */
  readonly bytesAdded: number
}

/** A source distribution or git commit, what it was built with and what came out. */
export interface BuiltFrom {
  readonly name: string
  /** Exact file name and digest of a source distribution, URL and commit of a git source. */
  readonly source: string
  readonly environment: Readonly<Record<string, string>>
  readonly version: string
}

interface ReceiptPackage {
  readonly name: string
  readonly version: string
  readonly packageKey: Key
  /** Digest of its tree. */
  readonly tree: string
  /** Modules without bytecode, since they don't compile. */
  readonly uncompiled: number
}

interface ReceiptTree {
  /** sha256 of the tree's canonical form. */
  readonly digest: string
  readonly files: number
  readonly directories: number
  readonly links: number
  /** Sum of file sizes. */
  readonly bytes: number
  /** Bytes of disk blocks of its folders, and of files that no package has; older receipts don't tell. */
  readonly disk?: number
}

/** What a hit answers without reading the receipt: `envs/<key>/summary.json`. */
export interface Summary {
  readonly schemaVersion: 1
  readonly packages: number
  readonly files: number
  readonly bytes: number
  /** sha256 of the tree's canonical form. */
  readonly tree: string
  /** As in the receipt. */
  readonly disk?: number
  /** What its packages want of a driver; absent in those of older builds, whose receipts tell. */
  readonly cuda?: readonly CudaLevel[]
}

export function summarize(receipt: Receipt): Summary {
  const { tree, packages } = receipt
  return {
    schemaVersion: 1,
    packages: packages.length,
    files: tree.files,
    bytes: tree.bytes,
    tree: tree.digest,
    ...(tree.disk === undefined ? {} : { disk: tree.disk }),
    cuda: cudaLevels(packages),
  }
}
