import { linkSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { blobPath } from '../../cache/blob/blob-path.ts'
import { type FileToHash, startHashing } from '../../cache/blob/hash-files.ts'
import { onMachine } from '../../cache/disk/machine-error.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { EnvdError } from '../../src/error.ts'
import type { Uv } from './pinned-uv.ts'
import { type CachedArchives, readCachedArchives } from './proof/cached-archives.ts'
import { sitePackages } from './proof/site-packages.ts'
import { isSkeleton } from './record/skeleton.ts'

/** What an installer writes into each `*.dist-info` beside RECORD (PEP 376, 610, and uv's own notes). */
const notes = new Set(['INSTALLER', 'REQUESTED', 'direct_url.json', 'uv_cache.json', 'uv_build.json'])

/**
 * Proves that every file in `tree` is one inode with a file of uv's cache, but for what an installer writes
 * itself. uv falls back to copies without a word, and a count of links proves nothing. Throws LINK_PROOF,
 * naming the first file and why it could not be linked. Returns the archives of the cache that it looked at. Reads
 * each inode once; no contents but scripts', and of files that another build has made links to the store since.
 */
export async function proveLinks(volume: Volume, uv: Uv, tree: string): Promise<readonly string[]> {
  const site = sitePackages(tree)
  const infos = onMachine(site, () => readdirSync(site)).filter(name => name.endsWith('.dist-info'))
  const archives = readCachedArchives(uv.cacheFolder, new Set(infos))
  const { dev } = onMachine(uv.cacheFolder, () => lstatSync(uv.cacheFolder))
  const unlinked: FileToHash[] = []
  for (const path of filesIn(tree)) {
    const stats = onMachine(path, () => lstatSync(path))
    if (stats.isSymbolicLink()) continue
    if (stats.dev === dev && archives.inodes.has(stats.ino)) continue
    if (isWritten(relative(tree, path), relative(site, path), archives)) continue
    unlinked.push({ place: path, size: stats.size, executable: (stats.mode & 0o111) !== 0 })
  }
  const [first] = unlinked
  if (first === undefined) return archives.folders
  const problemOf = ({ place }: FileToHash) => notLinked(relative(tree, String(place)), site, tree, archives)
  const problem = problemOf(first)
  if (!['copied', 'EMLINK'].includes(String(problem.details.cause))) throw problem
  for (const file of await notInStore(volume, unlinked, archives)) {
    const problem = problemOf(file)
    // Its own cache has as many links as the file system allows: uv copies, and the store has the content once.
    if (problem.details.cause !== 'EMLINK') throw problem
  }
  return archives.folders
}

/**
 * Without those that uv linked and whose origin in the cache has since become a link to the blob of the same content:
 * another build that has brought the same wheel did so (cache/blob/relink-archives.ts).
 */
async function notInStore(
  volume: Volume,
  files: readonly FileToHash[],
  { inodes }: CachedArchives,
): Promise<FileToHash[]> {
  const hashing = startHashing<FileToHash>({})
  try {
    hashing.add(files)
    const digests = await hashing.finish()
    return files.filter(file => {
      const blob = blobPath(volume, digests.get(file)!, file.executable ?? false)
      const stats = lstatSync(blob, { throwIfNoEntry: false })
      return stats === undefined || !inodes.has(stats.ino)
    })
  } finally {
    await hashing.stop()
  }
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
    isSkeleton(inTree) ||
    (note !== undefined && notes.has(note)) ||
    (script !== undefined && written.has(launcherOf(script)))
  )
}

/** As pip does, uv names pip's launcher `pip3.N` by the interpreter, whatever N is in its wheel; there is a `pip3` beside. */
function launcherOf(script: string): string {
  return script.replace(/^pip3\.\d+$/, 'pip3')
}

function notLinked(name: string, site: string, tree: string, archives: CachedArchives): EnvdError {
  const path = join(tree, name)
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
