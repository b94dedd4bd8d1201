import type { TreeEntry } from '../../../src/tree/manifest.ts'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import type { At } from '../../volume/layout.ts'
import type { TreeToCheck } from './check-job.ts'
import { rawPath, readTreeText } from './tree-text.ts'

/** What belongs at a path of an environment. */
export type Expected =
  | {
      readonly kind: 'file'
      readonly sha256: string
      readonly executable: boolean
      /** Bytes. */
      readonly size: number
      /** A blob of the store; false: the environment's own. */
      readonly shared: boolean
    }
  | { readonly kind: 'directory'; readonly mode: number }
  /** `target` is raw. */
  | { readonly kind: 'link'; readonly target: string }

/** By folder, then by name; raw (tree-text.ts). The root's path is empty. */
export type ExpectedTree = ReadonlyMap<string, ReadonlyMap<string, Expected>>

/**
 * What an environment consists of, for the folders that are `wanted`. Where several have a path, the skeleton's comes
 * before all packages', and a later package's before an earlier one's (src/tree/environment-manifest.ts).
 */
export function expectedTree(
  at: At,
  { trees, skeleton, absent = [] }: Omit<TreeToCheck, 'folder'>,
  wanted: (folder: string) => boolean,
): ExpectedTree {
  const folders = new Map<string, Map<string, Expected>>()
  let last: { readonly folder: string; readonly entries: Map<string, Expected> | null } | undefined

  function entriesOf(folder: string): Map<string, Expected> | null {
    if (last?.folder === folder) return last.entries
    let entries = folders.get(folder) ?? null
    if (entries === null && wanted(folder)) {
      entries = new Map()
      folders.set(folder, entries)
    }
    last = { folder, entries }
    return entries
  }

  function place(path: string, make: () => Expected): void {
    const end = path.lastIndexOf('/')
    entriesOf(end === -1 ? '' : path.slice(0, end))?.set(path.slice(end + 1), make())
  }

  function placeFolder(path: string, mode: number): void {
    place(path, () => ({ kind: 'directory', mode }))
    entriesOf(path)
  }

  entriesOf('')
  for (const digest of trees) {
    const tree = readTreeText(at, digest)
    if (!('text' in tree)) continue
    scanManifest(tree.text, {
      directory: path => placeFolder(rawPath(path), 0o555),
      file: (path, sha256, executable, size) =>
        place(rawPath(path), () => ({ kind: 'file', sha256, executable, size, shared: true })),
      link: (path, target) => place(rawPath(path), () => ({ kind: 'link', target: rawPath(target) })),
    })
  }
  for (const entry of skeleton) placeOwn(entry)
  for (const path of absent.map(rawText)) {
    const end = path.lastIndexOf('/')
    folders.get(path.slice(0, Math.max(end, 0)))?.delete(path.slice(end + 1))
  }
  return folders

  function placeOwn(entry: TreeEntry): void {
    const path = rawText(entry.path)
    if (entry.kind === 'directory') placeFolder(path, entry.mode)
    else if (entry.kind === 'link') place(path, () => ({ kind: 'link', target: rawText(entry.target) }))
    else {
      const { sha256, size, mode } = entry
      place(path, () => ({ kind: 'file', sha256, size, executable: mode === 0o555, shared: false }))
    }
  }
}

/** Of escaped UTF-8 text. */
export function rawText(escaped: string): string {
  return rawPath(Buffer.from(escaped).toString('latin1'))
}
