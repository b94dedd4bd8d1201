import { createHash } from 'node:crypto'
import { isPlain, unescapeName } from './escaped-name.ts'

/**
 * The canonical form of a tree. Text in UTF-8, every line ended by LF, fields separated by one TAB:
 *
 *     envd tree 1
 *     f  <mode>  <size>  <sha256>  <path>          a file: octal mode of 4 digits, bytes in decimal, 64 hex digits
 *     d  <mode>  <path>                            a directory
 *     l  <path>  <target>                          a symbolic link
 *
 * Paths are relative to the tree's root, which has no line of its own, and have no empty, `.` or `..` part.
 * Paths and targets are escaped (escaped-name.ts), so that TAB and LF never occur in them. Lines after the first
 * are sorted by the unescaped bytes of the path; no path occurs twice.
 */
export type TreeEntry = TreeFile | TreeDirectory | TreeLink

interface TreeFile {
  readonly kind: 'file'
  /** Escaped. */
  readonly path: string
  /** Permission bits: 0o444 or 0o555 in a sealed tree. */
  readonly mode: number
  /** Bytes. */
  readonly size: number
  /** 64 lowercase hex digits. */
  readonly sha256: string
}

interface TreeDirectory {
  readonly kind: 'directory'
  readonly path: string
  readonly mode: number
}

interface TreeLink {
  readonly kind: 'link'
  readonly path: string
  /** Escaped, as readlink gives it. */
  readonly target: string
}

export const MANIFEST_HEADER = 'envd tree 1'

/** The canonical text of a tree, whatever the order of its entries. Throws a plain Error for what is no tree: a bug. */
export function formatManifest(entries: readonly TreeEntry[]): string {
  const sorted = sortByPathBytes(entries)
  let text = `${MANIFEST_HEADER}\n`
  let previous: string | undefined
  for (const entry of sorted) {
    if (entry.path === previous) throw new Error(`a tree has one entry for a path: ${entry.path}`)
    const problem = entryProblem(entry)
    if (problem !== null) throw new Error(`${problem}: ${JSON.stringify(entry)}`)
    previous = entry.path
    text += `${formatEntry(entry)}\n`
  }
  return text
}

/** The name of a tree: sha256 of its canonical text, 64 lowercase hex digits. */
export function treeDigest(manifest: string): string {
  return createHash('sha256').update(manifest, 'utf8').digest('hex')
}

function formatEntry(entry: TreeEntry): string {
  switch (entry.kind) {
    case 'file':
      return `f\t${octal(entry.mode)}\t${entry.size}\t${entry.sha256}\t${entry.path}`
    case 'directory':
      return `d\t${octal(entry.mode)}\t${entry.path}`
    case 'link':
      return `l\t${entry.path}\t${entry.target}`
  }
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0')
}

const hex64 = /^[0-9a-f]{64}$/
/** An empty, `.` or `..` part, NUL, or nothing at all. */
const badPath = /^$|(?:^|\/)\.{0,2}(?:\/|$)|\\x00/

/** Why an entry can't be part of a tree; null when it can. */
export function entryProblem(entry: TreeEntry): string | null {
  if (badPath.test(entry.path)) return 'not a relative path'
  if (!isEscaped(entry.path)) return 'path is not escaped'
  if (entry.kind === 'link') {
    if (entry.target === '' || entry.target.includes('\\x00')) return 'a link without a target'
    return isEscaped(entry.target) ? null : 'target is not escaped'
  }
  if (!Number.isInteger(entry.mode) || entry.mode < 0 || entry.mode > 0o7777) return 'not a mode'
  if (entry.kind === 'directory') return null
  if (!Number.isSafeInteger(entry.size) || entry.size < 0 || Object.is(entry.size, -0)) return 'not a size'
  return hex64.test(entry.sha256) ? null : 'not a sha256'
}

function isEscaped(text: string): boolean {
  if (isPlain(text)) return true
  try {
    unescapeName(text)
    return true
  } catch {
    return false
  }
}

/** Order of two escaped paths by the bytes they stand for. */
export function comparePaths(a: string, b: string): number {
  if (isPlain(a) && isPlain(b)) return a < b ? -1 : a > b ? 1 : 0
  return Buffer.compare(unescapeName(a), unescapeName(b))
}

/** Plain paths, nearly all trees, sort as strings; anything else by its unescaped bytes, unescaped once. */
function sortByPathBytes(entries: readonly TreeEntry[]): readonly TreeEntry[] {
  if (entries.every(entry => isPlain(entry.path))) {
    return entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  }
  return entries
    .map(entry => ({ entry, bytes: isEscaped(entry.path) ? unescapeName(entry.path) : new Uint8Array() }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ entry }) => entry)
}
