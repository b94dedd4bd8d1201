import { EnvdError } from '../../../src/error.ts'
import { compareNames } from '../../../src/tree/environment-manifest.ts'
import { comparePaths, type TreeEntry } from '../../../src/tree/manifest.ts'
import type { Content } from './assemble-job.ts'

/** A path that several packages have with different contents (design decision 8). */
export interface Conflict {
  /** Escaped. */
  readonly path: string
  /** Names of the packages that have it, sorted. */
  readonly owners: readonly string[]
  /** Whose content lies there; null: the virtualenv's own. */
  readonly winner: string | null
}

/** A conflict with what belongs at its path; null: what is there stays. */
export interface Decided extends Conflict {
  readonly content: Exclude<Content, { kind: 'directory' }> | null
}

/** What one of the packages has at a path. */
export interface Owner {
  readonly name: string
  readonly content: Content
}

/**
 * Decides who has each of these paths, at which several things met while packages were linked. Whatever met first,
 * the skeleton's content stays, else the package wins whose name sorts last; equal contents are no conflict. Throws
 * PACKAGES_CLASH where a directory meets something else, and TREE_UNSUPPORTED where the file system takes two names
 * for one.
 */
export function decideConflicts(
  owners: ReadonlyMap<string, readonly Owner[]>,
  skeleton: ReadonlyMap<string, TreeEntry>,
): Decided[] {
  return [...owners.keys()].sort(comparePaths).flatMap(path => {
    const byName = owners.get(path)!.toSorted((a, b) => compareNames(a.name, b.name))
    return decide(path, byName, skeleton.get(path))
  })
}

function decide(path: string, owners: readonly Owner[], own: TreeEntry | undefined): Decided[] {
  const contents = owners.map(({ content }) => content)
  const kinds = new Set([...contents, ...(own ? [own] : [])].map(({ kind }) => kind === 'directory'))
  if (kinds.size > 1) throw clash(path, owners, own)
  if (owners.length === 1 && own === undefined) throw oneName(path, owners[0]!.name)
  const different = new Set([...contents.map(identity), ...(own ? [entryIdentity(own)] : [])])
  if (different.size === 1) return []
  const names = owners.map(({ name }) => name)
  if (own !== undefined) return [{ path, owners: names, winner: null, content: null }]
  const { name, content } = owners.at(-1)!
  return [{ path, owners: names, winner: name, content: content as Decided['content'] }]
}

function identity(content: Content): string {
  if (content.kind === 'directory') return 'd'
  return content.kind === 'link' ? `l${content.target}` : `f${content.sha256}${content.executable ? 'x' : ''}`
}

function entryIdentity(entry: TreeEntry): string {
  return identity(entry.kind === 'file' ? { ...entry, executable: entry.mode === 0o555 } : entry)
}

function clash(path: string, owners: readonly Owner[], own: TreeEntry | undefined): EnvdError {
  const words = { file: 'a file', link: 'a symbolic link', directory: 'a folder' } as const
  const says = [
    ...owners.map(({ name, content }) => `${words[content.kind]} in ${name}`),
    ...(own ? [`${words[own.kind]} in every virtualenv`] : []),
  ]
  return new EnvdError('PACKAGES_CLASH', `${path} is ${says.join(' and ')}`, {
    details: { path, packages: owners.map(({ name }) => name) },
  })
}

function oneName(path: string, name: string): EnvdError {
  return new EnvdError(
    'TREE_UNSUPPORTED',
    `${path} of ${name} and another path are one name on the volume's file system`,
    {
      details: { path, packages: [name] },
      hint: 'Keep the volume on a file system that tells upper from lower case.',
    },
  )
}
