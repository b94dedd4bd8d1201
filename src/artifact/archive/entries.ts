import type { UnpackLimits } from '../artifact.ts'
import { entryPath, foldedPath } from './entry-path.ts'
import { leavesTree } from './leaves-tree.ts'

/** One entry, as an archive names it. */
export interface ArchiveEntry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'hard link' | 'other'
  /** For `other`: what it is. */
  readonly label: string
  /** Permission bits with set-id and sticky. */
  readonly mode: number
  /** Of a link or hard link. */
  readonly target: string
}

/** What is to be done with an entry. */
export interface Placement {
  readonly path: string
  /** Folders to be made before it, outermost first. */
  readonly folders: readonly string[]
  /** Of a hard link: the path of the file it is. */
  readonly source: string | null
}

export interface EntryChecker {
  /** Null: there is nothing to do. Errors: EntryRefused. */
  admit(entry: ArchiveEntry): Placement | null
  /** Counts unpacked bytes of an entry. Errors: EntryRefused. */
  count(entry: ArchiveEntry, bytes: number): void
  /** After the last one: every link must stay inside. Errors: EntryRefused. */
  finish(): void
}

/** Names the entry, and why it is not unpacked. */
export class EntryRefused extends Error {
  readonly entry: string

  constructor(entry: string, problem: string) {
    super(problem)
    this.entry = entry
  }
}

const setId = 0o6000

/** Watches over one archive: its names, kinds and links, its number of entries, its size. Touches no file. */
export function startEntryChecker(limits: UnpackLimits, archiveBytes: number): EntryChecker {
  const kinds = new Map<string, 'file' | 'directory' | 'link'>([['', 'directory']])
  const folded = new Map<string, string>()
  const links = new Map<string, { readonly target: string; readonly name: string }>()
  let entries = 0
  let unpacked = 0

  function claim(path: string, kind: 'file' | 'directory' | 'link', name: string): void {
    const fold = foldedPath(path)
    const other = folded.get(fold)
    if (other !== undefined && other !== path) {
      throw new EntryRefused(name, `where case or Unicode form is ignored, it is ${JSON.stringify(other)}`)
    }
    folded.set(fold, path)
    kinds.set(path, kind)
  }

  function foldersOf(path: string, name: string): string[] {
    const made: string[] = []
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      const kind = kinds.get(folder)
      if (kind === 'directory') continue
      if (kind !== undefined)
        throw new EntryRefused(name, `${JSON.stringify(folder)} is a ${kind}, not a folder`)
      claim(folder, 'directory', name)
      made.push(folder)
    }
    return made
  }

  return {
    admit(entry) {
      const { name, kind, label, mode, target } = entry
      if (++entries > limits.entries)
        throw new EntryRefused(name, `it is one of more than ${limits.entries} entries`)
      const checked = entryPath(name)
      if ('problem' in checked) throw new EntryRefused(name, checked.problem)
      if (kind === 'other') throw new EntryRefused(name, `it is ${label}`)
      if (kind === 'file' && (mode & setId) !== 0)
        throw new EntryRefused(name, 'it would run as another user (set-id)')
      const { path } = checked
      if (path === '' && kind === 'directory') return null
      if (path === '') throw new EntryRefused(name, 'it has no name')
      const folders = foldersOf(path, name)
      const there = kinds.get(path)
      if (kind === 'directory') {
        if (there === 'directory') return null
        if (there !== undefined) throw new EntryRefused(name, `it is a ${there} already`)
        claim(path, kind, name)
        return { path, folders: [...folders, path], source: null }
      }
      if (there !== undefined) throw new EntryRefused(name, 'it stands twice')
      if (kind === 'link') {
        if (target === '' || target.includes('\0')) throw new EntryRefused(name, 'it is a link to nothing')
        claim(path, 'link', name)
        links.set(path, { target, name })
        return { path, folders, source: null }
      }
      const source = kind === 'hard link' ? hardLinked(entry, kinds) : null
      claim(path, 'file', name)
      return { path, folders, source }
    },
    count({ name }, bytes) {
      unpacked += bytes
      if (unpacked > limits.bytes)
        throw new EntryRefused(name, `more than ${limits.bytes} bytes are unpacked here`)
      if (unpacked > limits.ratio * archiveBytes) {
        throw new EntryRefused(name, `here it is more than ${limits.ratio} times the size of the archive`)
      }
    },
    finish() {
      for (const [path, { target, name }] of links) {
        if (leavesTree(path, target, links))
          throw new EntryRefused(name, `it is a link that leads outside: ${target}`)
      }
    },
  }
}

/** Another name of a file that came before. */
function hardLinked({ name, target }: ArchiveEntry, kinds: ReadonlyMap<string, string>): string {
  const checked = entryPath(target)
  if ('problem' in checked || kinds.get(checked.path) !== 'file') {
    throw new EntryRefused(name, `it is a hard link to ${JSON.stringify(target)}, which is no file before it`)
  }
  return checked.path
}
