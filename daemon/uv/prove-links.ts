import { linkSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { onMachine } from '../../cache/volume/machine-error.ts'
import { EnvdError } from '../../src/error.ts'
import type { Uv } from './pinned-uv.ts'
import { type CachedArchives, readCachedArchives } from './proof/cached-archives.ts'
import { sitePackages } from './proof/site-packages.ts'

/** What an installer writes into each `*.dist-info` beside RECORD (PEP 376, 610, and uv's own notes). */
const notes = new Set(['INSTALLER', 'REQUESTED', 'direct_url.json', 'uv_cache.json', 'uv_build.json'])

/** What `uv venv` makes. */
const virtualenvFiles = new Set([
  ...['pyvenv.cfg', '.gitignore', 'CACHEDIR.TAG', '.lock'],
  ...['', '.bat', '.csh', '.fish', '.nu', '.ps1', '.xsh', '_this.py'].map(end => `bin/activate${end}`),
  ...['bin/deactivate.bat', 'bin/pydoc.bat'],
])

/**
 * Proves that every file in `tree` is one inode with a file of uv's cache, but for what an installer writes
 * itself. uv falls back to copies without a word, and a count of links proves nothing. Throws LINK_PROOF,
 * naming the first file and why it could not be linked. Returns the archives of the cache that it looked at. Reads each inode once; no contents but scripts'.
 */
export function proveLinks(uv: Uv, tree: string): readonly string[] {
  const site = sitePackages(tree)
  const infos = onMachine(site, () => readdirSync(site)).filter(name => name.endsWith('.dist-info'))
  const archives = readCachedArchives(uv.cacheFolder, new Set(infos))
  const { dev } = onMachine(uv.cacheFolder, () => lstatSync(uv.cacheFolder))
  for (const path of filesIn(tree)) {
    const stats = onMachine(path, () => lstatSync(path))
    if (stats.isSymbolicLink()) continue
    if (stats.dev === dev && archives.inodes.has(stats.ino)) continue
    const name = relative(tree, path)
    if (isWritten(name, relative(site, path), archives)) continue
    const problem = notLinked(name, path, site, archives)
    // Its own cache has as many links as the file system allows: uv copies, and the store has the content once.
    if (problem.details.cause !== 'EMLINK') throw problem
  }
  return archives.folders
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of onMachine(folder, () => readdirSync(folder, { withFileTypes: true }))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else yield path
  }
}

function isWritten(inTree: string, inSite: string, { written }: CachedArchives): boolean {
  const note = /^[^/]+\.dist-info\/([^/]+)$/.exec(inSite)?.[1]
  // uv copies every file of this name, also one that a package vendors.
  if (basename(inSite) === 'RECORD') return true
  const script = /^bin\/([^/]+)$/.exec(inTree)?.[1]
  return (
    virtualenvFiles.has(inTree) ||
    (note !== undefined && notes.has(note)) ||
    (script !== undefined && written.has(script))
  )
}

function notLinked(name: string, path: string, site: string, archives: CachedArchives): EnvdError {
  const source = archives.folders
    .flatMap(folder => placesIn(folder, name, relative(site, path)))
    .find(candidate => lstatSync(candidate, { throwIfNoEntry: false }) !== undefined)
  const cause = source === undefined ? 'nothing like it is in the cache of uv' : whyNotLinked(source, path)
  return new EnvdError('LINK_PROOF', `${name} is not a link to the cache of uv: ${cause}`, {
    details: { file: name, cause },
  })
}

/** Where a file of the tree may come from in an unpacked wheel (wheel format, "The .data directory"). */
function placesIn(archive: string, inTree: string, inSite: string): string[] {
  const data = readdirSync(archive).filter(name => name.endsWith('.data'))
  const spread = data.flatMap(folder => [
    ...['purelib', 'platlib'].map(scheme => join(folder, scheme, inSite)),
    join(folder, 'scripts', relative('bin', inTree)),
    join(folder, 'data', inTree),
  ])
  return [inSite, ...spread].map(path => join(archive, path))
}

/** Tries the link uv should have made. */
function whyNotLinked(source: string, path: string): string {
  const probe = join(dirname(path), '.envd-link-probe')
  try {
    linkSync(source, probe)
    rmSync(probe)
    return 'copied'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
