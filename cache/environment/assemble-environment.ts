import { chmodSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { PackageRecord } from '../../src/report/package-record.ts'
import { formatEnvironmentManifest } from '../../src/tree/environment-manifest.ts'
import { type TreeEntry, treeDigest } from '../../src/tree/manifest.ts'
import { parseManifest } from '../../src/tree/parse-manifest.ts'
import { beginSync } from '../disk/durable.ts'
import { hasErrno, onMachine } from '../disk/machine-error.ts'
import { placeIn } from '../disk/place-in.ts'
import { diskBytes } from '../disk/remove-folder.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { stagingTree } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import type { LinkCounts, PackagesAnswer } from './assemble/assemble-job.ts'
import { type AssembleThreads, startAssembleThreads } from './assemble/assemble-threads.ts'
import { contestedBytecode } from './assemble/contested-bytecode.ts'
import { type Conflict, decideConflicts, type Owner } from './assemble/decide-conflicts.ts'
import { startLatePlacement } from './assemble/place-late.ts'
import { sealTree } from './seal/seal-tree.ts'

export interface AssembleRequest {
  /** Id of the staging folder whose `tree/` is the skeleton: a virtualenv with nothing installed. */
  readonly staging: string
  readonly packages: readonly PackageRecord[]
  readonly signal?: AbortSignal
  /** Files linked, and files there are. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface AssembledTree {
  /** Canonical text (src/tree/environment-manifest.ts). */
  readonly manifest: string
  /** sha256 of it: names the environment's tree. */
  readonly digest: string
  readonly files: number
  /** The root not counted. */
  readonly directories: number
  readonly links: number
  /** Sum of file sizes, in bytes. */
  readonly apparentBytes: number
  /** Sorted by path. */
  readonly conflicts: readonly Conflict[]
  /** Copies of blobs that had as many links as the file system allows. */
  readonly linkCopies: number
  /** Disk blocks of its directories, in bytes: the rest are links to blobs. */
  readonly diskBytes: number
}

/**
 * Makes `staging/<id>/tree` an environment of known packages by directories and hard links alone, and seals it. The
 * result is the same whatever the threads do; durable when it is published. Errors: PACKAGES_CLASH, TREE_UNSUPPORTED,
 * LINK_OTHER_FILE_SYSTEM, LINK_NOT_PERMITTED, LINK_LIMIT, VOLUME_CORRUPT (a tree or blob is missing or damaged),
 * VOLUME_NOT_OWNER, DISK_FULL, IO, the signal's reason.
 */
export async function assembleEnvironment(volume: Volume, request: AssembleRequest): Promise<AssembledTree> {
  requireOwner(volume)
  const { staging, packages, signal } = request
  const tree = stagingTree(volume, staging)
  const threads = startAssembleThreads({ root: volume.root, tree }, packages, {
    signal,
    onPackage: progressOf(request),
  })
  try {
    const sealed = await sealTree(tree, signal ? { signal } : {})
    const skeleton = parseManifest(sealed.manifest)
    const directories = skeleton.filter(({ kind }) => kind === 'directory').map(({ path }) => path)
    const others = skeleton.filter(({ kind }) => kind !== 'directory').map(({ path }) => path)
    const folderMode = mayWriteSealed(tree) ? 0o555 : 0o755
    if (folderMode !== 0o555) setFolderModes(tree, directories, folderMode)

    const made = await threads.run({ do: 'packages', skeleton: { directories, others }, folderMode })
    faultPoint('assemble:after-links')
    beginSync(tree)
    const late = startLatePlacement(volume, staging, sum(made))
    const full = late.linkFull(made.flatMap(({ unlinked }) => unlinked))
    const occupied = [...full, ...made.flatMap(answer => answer.occupied)].map(({ path }) => path)
    const ownersAt = (paths: readonly string[]) => ownersOf(threads, packages, paths)
    const own = new Map(skeleton.map(entry => [entry.path, entry]))
    const decided = decideConflicts(await ownersAt([...new Set(occupied)]), own)
    for (const conflict of decided) late.replace(conflict)
    const bytecode = contestedBytecode(tree, decided)
    const absent = withoutWinner(bytecode, await ownersAt([...bytecode.keys()]), own)
    for (const path of absent) late.drop(path)
    const conflicts = decided.filter(({ path }) => !absent.has(path))
    const closed = await threads.run({ do: 'close' })
    if (folderMode !== 0o555) setFolderModes(tree, directories, 0o555)
    const manifest = formatEnvironmentManifest({
      packages: packages.map(({ name, tree }) => ({ name, tree })),
      decisions: conflicts.map(({ path, winner }) => ({ path, winner })),
      absent: [...absent],
      skeleton,
    })
    return {
      manifest,
      digest: treeDigest(manifest),
      files: sealed.files + late.counts.files,
      directories: made.reduce((count, answer) => count + answer.directories, sealed.directories),
      links: sealed.links + late.counts.links,
      apparentBytes: sealed.apparentBytes + late.counts.bytes,
      conflicts: conflicts.map(({ path, owners, winner }) => ({ path, owners, winner })),
      linkCopies: late.copies,
      diskBytes: closed.reduce((bytes, answer) => bytes + answer.diskBytes, foldersOnDisk(tree, directories)),
    }
  } finally {
    await threads.stop()
  }
}

function progressOf({ packages, onProgress }: AssembleRequest): (index: number) => void {
  const total = packages.reduce((files, record) => files + record.files, 0)
  let done = 0
  return index => {
    done += packages[index]!.files
    onProgress?.(done, total)
  }
}

/** Of each path, all packages that have it. */
async function ownersOf(
  threads: AssembleThreads,
  packages: readonly PackageRecord[],
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  const owners = new Map(paths.map(path => [path, [] as Owner[]]))
  const answers = paths.length > 0 ? await threads.run({ do: 'owners', paths }) : []
  for (const { index, path, content } of answers.flatMap(({ claims }) => claims)) {
    owners.get(path)!.push({ name: packages[index]!.name, content })
  }
  return owners
}

/** What of this neither the winner of its conflict has, nor, where that is the skeleton, the skeleton. */
function withoutWinner(
  paths: ReadonlyMap<string, Conflict>,
  owners: ReadonlyMap<string, readonly Owner[]>,
  own: ReadonlyMap<string, TreeEntry>,
): ReadonlySet<string> {
  const has = (path: string, winner: string | null) =>
    winner === null ? own.has(path) : owners.get(path)!.some(({ name }) => name === winner)
  return new Set([...paths].flatMap(([path, { winner }]) => (has(path, winner) ? [] : [path])))
}

/** As root may: then no folder has to be opened and closed again. Nor does the umask change their mode. */
function mayWriteSealed(tree: string): boolean {
  const probe = join(tree, '.probe')
  return onMachine(tree, () => {
    try {
      mkdirSync(probe, 0o555)
    } catch (error) {
      if (hasErrno(error, 'EACCES', 'EPERM')) return false
      throw error
    }
    const { mode } = lstatSync(probe)
    rmdirSync(probe)
    return (mode & 0o7777) === 0o555
  })
}

function foldersOnDisk(tree: string, directories: readonly string[]): number {
  const places = [tree, ...directories.map(path => placeIn(tree, path))]
  return places.reduce((bytes, place) => bytes + diskBytes(onMachine(tree, () => lstatSync(place))), 0)
}

/** The skeleton's folders, its root among them, are open while packages come in. */
function setFolderModes(tree: string, directories: readonly string[], mode: number): void {
  onMachine(tree, () => {
    chmodSync(tree, mode)
    for (const path of directories) chmodSync(placeIn(tree, path), mode)
  })
}

function sum(answers: readonly PackagesAnswer[]): LinkCounts {
  return answers.reduce(
    ({ files, links, bytes }, { counts }) => ({
      files: files + counts.files,
      links: links + counts.links,
      bytes: bytes + counts.bytes,
    }),
    { files: 0, links: 0, bytes: 0 },
  )
}
