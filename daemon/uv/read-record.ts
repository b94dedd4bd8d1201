import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import { walkTree } from '../../cache/disk/walk-tree.ts'
import { type SharedPath, sharedPaths } from '../../cache/package/shared-paths.ts'
import { EnvdError } from '../../src/error.ts'
import { escapeName } from '../../src/tree/escaped-name.ts'
import { comparePaths } from '../../src/tree/manifest.ts'
import { sitePackages } from './proof/site-packages.ts'
import { parseRecord, type RecordRow } from './record/parse-record.ts'
import { readMetadata } from './record/read-metadata.ts'
import { isSkeleton } from './record/skeleton.ts'

export interface Records {
  /** By normalized name. */
  readonly packages: ReadonlyMap<string, RecordedPackage>
  /** Files and links that no package lists and that a virtualenv doesn't have of itself; escaped, sorted. */
  readonly unowned: readonly string[]
  /** Files of which only one of several packages can be the origin. */
  readonly shared: readonly SharedPath[]
}

export interface RecordedPackage {
  /** Its `.dist-info` folder, as `paths`. */
  readonly distInfo: string
  /** Files and links: relative to the virtualenv, escaped, each once, sorted by their bytes. */
  readonly paths: readonly string[]
  /** Path → sha256, 64 hex digits, of the files for which RECORD tells one. */
  readonly digests: ReadonlyMap<string, string>
}

/**
 * Which files of a virtualenv are whose, by each distribution's RECORD ("Recording installed projects"). Left out
 * are folders, and what an installer need not have brought: bytecode, and the signatures RECORD.jws and RECORD.p7s.
 * (uv writes RECORD from what the wheel really holds.)
 *
 * Errors: CLOSURE_NOT_INSTALLED (a distribution without a readable RECORD, two of one name, a file that is not
 * there), TREE_UNSUPPORTED (a path outside of the virtualenv, or one of its own files).
 */
export async function readRecords(install: string): Promise<Records> {
  const present = await lookAt(install)
  const site = sitePackages(install)
  const packages = new Map<string, RecordedPackage>()
  for (const info of onMachine(site, () => readdirSync(site)).sort()) {
    if (!info.endsWith('.dist-info')) continue
    const distInfo = join(relative(install, site), info)
    const { name } = readMetadata(join(install, distInfo))
    if (name === null) throw refusal(distInfo, 'has no name in its METADATA')
    const other = packages.get(name)
    if (other) throw refusal(name, `is installed twice: ${other.distInfo}, ${distInfo}`)
    packages.set(name, { distInfo, ...readFiles(install, name, distInfo, present) })
  }
  const owned = new Set([...packages.values()].flatMap(({ paths }) => paths))
  const unowned = [...present.leaves].filter(path => !owned.has(path) && !isSkeleton(path)).sort(comparePaths)
  const shared = sharedPaths([...packages].map(([name, { paths }]) => ({ name, root: install, paths })))
  return { packages, unowned, shared }
}

interface Present {
  readonly folders: ReadonlySet<string>
  readonly leaves: ReadonlySet<string>
}

async function lookAt(install: string): Promise<Present> {
  const folders = new Set<string>()
  const leaves = new Set<string>()
  for await (const batch of walkTree(install)) {
    for (const { kind, path } of batch) (kind === 'directory' ? folders : leaves).add(path)
  }
  return { folders, leaves }
}

function readFiles(
  install: string,
  name: string,
  distInfo: string,
  present: Present,
): Pick<RecordedPackage, 'paths' | 'digests'> {
  const file = join(install, distInfo, 'RECORD')
  let listed: readonly RecordRow[] | null
  try {
    listed = parseRecord(readFileSync(file, 'latin1'))
  } catch (cause) {
    throw refusal(name, 'has no RECORD of its files', { cause })
  }
  if (listed === null) throw refusal(name, 'has a RECORD that ends inside of a quoted path')
  const folder = distInfo.slice(0, distInfo.lastIndexOf('/'))
  const digests = new Map<string, string | null>()
  for (const { path: entry, sha256 } of listed) {
    const path = locate(install, folder, entry)
    if (path === null) throw unsupported(name, entry, 'which is outside of the virtualenv')
    if (isSkeleton(path)) throw unsupported(name, path, "which is one of the virtualenv's own files")
    // Listed twice with two digests, it has none.
    if (present.leaves.has(path)) digests.set(path, (digests.get(path) ?? sha256) === sha256 ? sha256 : null)
    else if (!present.folders.has(path) && !mayBeMissing.test(path)) {
      throw refusal(name, `lists ${path}, which is not there`, { path })
    }
  }
  return {
    paths: [...digests.keys()].sort(comparePaths),
    digests: new Map([...digests].filter((entry): entry is [string, string] => entry[1] !== null)),
  }
}

const mayBeMissing = /\.py[co]$|\.dist-info\/RECORD\.(?:jws|p7s)$/

/** Relative to the virtualenv, escaped; null where it leads out of it. Both are latin1: a character is a byte. */
function locate(install: string, folder: string, entry: string): string | null {
  const root = Buffer.from(install).toString('latin1')
  const absolute = entry.startsWith('/')
  if (absolute && !entry.startsWith(`${root}/`)) return null
  const parts: string[] = absolute ? [] : folder.split('/')
  for (const part of (absolute ? entry.slice(root.length) : entry).split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.length === 0 ? null : escapeName(Buffer.from(parts.join('/'), 'latin1'))
}

function refusal(name: string, what: string, more: { path?: string; cause?: unknown } = {}): EnvdError {
  const { cause, ...details } = more
  return new EnvdError('CLOSURE_NOT_INSTALLED', `${name} ${what}`, { details: { name, ...details }, cause })
}

function unsupported(name: string, path: string, why: string): EnvdError {
  return new EnvdError('TREE_UNSUPPORTED', `${name} lists ${path}, ${why}`, {
    details: { name, path },
    hint: 'Such a package would change more than its own environment; leave it out of the lock.',
  })
}
