import { readFileSync } from 'node:fs'
import { EnvdError } from '../../../src/error.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { compareNames } from '../../../src/tree/environment-manifest.ts'
import { comparePaths, type TreeEntry } from '../../../src/tree/manifest.ts'
import { scanManifest } from '../../../src/tree/scan-manifest.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { treeFile } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'

/** A path that several packages have with different contents (design decision 8). */
export interface Conflict {
  /** Escaped. */
  readonly path: string
  /** Names of the packages that have it, sorted. */
  readonly owners: readonly string[]
  /** Whose content lies there; null: the virtualenv's own. */
  readonly winner: string | null
}

export type Claim =
  | { readonly kind: 'file'; readonly sha256: string; readonly executable: boolean; readonly size: number }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' }

/** A conflict with what belongs at its path; null: what is there stays. */
export interface Decided extends Conflict {
  readonly content: Exclude<Claim, { kind: 'directory' }> | null
}

interface Owner {
  readonly name: string
  readonly claim: Claim
}

/**
 * Decides who has each of these paths, at which several things met while packages were linked. Whatever met first,
 * the skeleton's content stays, else the package wins whose name sorts last; equal contents are no conflict. Throws
 * PACKAGES_CLASH where a directory meets something else, and TREE_UNSUPPORTED where the file system takes two names
 * for one. Reads all packages' trees, once.
 */
export function decideConflicts(
  volume: Volume,
  packages: readonly PackageRecord[],
  skeleton: ReadonlyMap<string, TreeEntry>,
  paths: ReadonlySet<string>,
): Decided[] {
  if (paths.size === 0) return []
  const owners = ownersOf(volume, packages, paths)
  return [...paths].sort(comparePaths).flatMap(path => decide(path, owners.get(path)!, skeleton.get(path)))
}

function decide(path: string, owners: readonly Owner[], own: TreeEntry | undefined): Decided[] {
  const claims = owners.map(({ claim }) => claim)
  const kinds = new Set([...claims, ...(own ? [own] : [])].map(({ kind }) => kind === 'directory'))
  if (kinds.size > 1) throw clash(path, owners, own)
  if (owners.length === 1 && own === undefined) throw oneName(path, owners[0]!.name)
  const contents = new Set([...claims.map(identity), ...(own ? [entryIdentity(own)] : [])])
  if (contents.size === 1) return []
  const names = owners.map(({ name }) => name)
  if (own !== undefined) return [{ path, owners: names, winner: null, content: null }]
  const { name, claim } = owners.at(-1)!
  return [{ path, owners: names, winner: name, content: claim as Decided['content'] }]
}

/** Of each path, those that have it, sorted by name. */
function ownersOf(
  volume: Volume,
  packages: readonly PackageRecord[],
  paths: ReadonlySet<string>,
): ReadonlyMap<string, Owner[]> {
  const owners = new Map([...paths].map(path => [path, [] as Owner[]]))
  const wanted = [...paths].map(path => `\t${path}`)
  for (const { name, tree } of packages.toSorted((a, b) => compareNames(a.name, b.name))) {
    const file = treeFile(volume, tree)
    const text = onMachine(file, () => readFileSync(file, 'utf8'))
    if (!wanted.some(path => text.includes(path))) continue
    scanManifest(text, {
      directory: path => owners.get(path)?.push({ name, claim: { kind: 'directory' } }),
      file: (path, sha256, executable, size) =>
        owners.get(path)?.push({ name, claim: { kind: 'file', sha256, executable, size } }),
      link: (path, target) => owners.get(path)?.push({ name, claim: { kind: 'link', target } }),
    })
  }
  return owners
}

function identity(claim: Claim): string {
  if (claim.kind === 'directory') return 'd'
  return claim.kind === 'link' ? `l${claim.target}` : `f${claim.sha256}${claim.executable ? 'x' : ''}`
}

function entryIdentity(entry: TreeEntry): string {
  return identity(entry.kind === 'file' ? { ...entry, executable: entry.mode === 0o555 } : entry)
}

function clash(path: string, owners: readonly Owner[], own: TreeEntry | undefined): EnvdError {
  const words = { file: 'a file', link: 'a symbolic link', directory: 'a folder' } as const
  const says = [
    ...owners.map(({ name, claim }) => `${words[claim.kind]} in ${name}`),
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
