import { setImmediate as nextTurn } from 'node:timers/promises'
import { EnvdError } from '../../src/error.ts'
import type { PackageRecord } from '../../src/report/package-record.ts'
import { formatManifest } from '../../src/tree/manifest.ts'
import { type FilesTakenIn, takeInFiles } from '../blob/take-in-files.ts'
import { syncFileSystem } from '../disk/durable.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { stagingFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import {
  type InstalledFile,
  type InstalledPackage,
  type InstalledTree,
  readInstalledTree,
} from './installed-package.ts'
import { sharedPaths } from './shared-paths.ts'
import { refuseUnexpected, type UnexpectedFile, unexpectedFiles } from './unexpected-files.ts'
import { publishRecord, type WrittenRecord, writeRecord } from './write-record.ts'
import { writeTree } from './write-tree.ts'

export interface TakeInPackagesOptions {
  /** Id of the staging folder that the virtualenvs lie in. */
  readonly staging: string
  readonly signal?: AbortSignal
  /** Bytes hashed, and bytes found so far. */
  readonly onProgress?: (done: number, total: number) => void
}

export interface PackagesTakenIn {
  /** In the order they were handed in. */
  readonly packages: readonly PackageRecord[]
  /** Content of each inode that was hashed, 64 hex digits, for `relinkArchives`. */
  readonly digests: ReadonlyMap<number, string>
  /** Names of blobs that were found damaged; a good one lies in their place. */
  readonly damaged: readonly string[]
}

/**
 * Takes installed distributions into the store: every file a blob, a tree and a record each. A record is there only
 * when all it names is on disk; cut off, some of it is there without a name, and the next take-in finds it. Packages
 * that share a file have to be installed apart (`sharedPaths`), since one of them has the other's content here.
 * Errors: as takeInFiles and readInstalledTree; PACKAGE_DAMAGED names every package with a file that is not as expected.
 */
export async function takeInPackages(
  volume: Volume,
  installed: readonly InstalledPackage[],
  options: TakeInPackagesOptions,
): Promise<PackagesTakenIn> {
  requireOwner(volume)
  refuseShared(installed)
  const written: WrittenRecord[] = []
  const digests = new Map<number, string>()
  const damaged: string[] = []
  const unexpected: UnexpectedFile[] = []
  const progress = progressOfGroups(options)
  for (const group of inGroups(installed)) {
    const taken = await takeInGroup(volume, group, { ...options, onProgress: progress.report })
    progress.endGroup()
    unexpected.push(...taken.unexpected)
    written.push(...taken.written)
    for (const [{ inode }, sha256] of taken.digests) digests.set(inode, sha256)
    damaged.push(...taken.damaged)
  }
  refuseUnexpected(unexpected)
  await syncFileSystem(stagingFolder(volume, options.staging))
  faultPoint('take-in:after-trees')
  return { packages: written.map(one => publishRecord(volume, one)), digests, damaged }
}

/** So many files are looked at before those of their packages are let go: what bounds the memory. */
const groupFiles = 8192

function inGroups(installed: readonly InstalledPackage[]): InstalledPackage[][] {
  const groups: InstalledPackage[][] = []
  let files = groupFiles
  for (const one of installed) {
    if (files >= groupFiles) {
      groups.push([])
      files = 0
    }
    groups.at(-1)!.push(one)
    files += one.paths.length
  }
  return groups
}

interface GroupTakenIn extends FilesTakenIn<InstalledFile> {
  readonly written: readonly WrittenRecord[]
  readonly unexpected: readonly UnexpectedFile[]
}

async function takeInGroup(
  volume: Volume,
  group: readonly InstalledPackage[],
  options: TakeInPackagesOptions,
): Promise<GroupTakenIn> {
  const { staging } = options
  const trees: InstalledTree[] = []
  async function* files(): AsyncGenerator<readonly InstalledFile[]> {
    for (const one of group) {
      const tree = readInstalledTree(one)
      trees.push(tree)
      yield tree.files
      await nextTurn()
    }
  }
  const taken = await takeInFiles(volume, files(), options)
  const unexpected = group.flatMap((one, index) => unexpectedFiles(one, trees[index]!, taken.digests))
  if (unexpected.length > 0) return { ...taken, written: [], unexpected }
  const written = group.map((one, index) => {
    const tree = trees[index]!
    const digest = writeTree(volume, staging, manifestOf(tree, taken.digests))
    return writeRecord(volume, staging, recordOf(one, tree, digest))
  })
  return { ...taken, written, unexpected }
}

/** Bytes of all groups so far. */
function progressOfGroups({ onProgress }: TakeInPackagesOptions) {
  let before = 0
  let ofGroup = 0
  return {
    report(done: number, total: number) {
      ofGroup = total
      onProgress?.(before + done, before + total)
    },
    endGroup() {
      before += ofGroup
      ofGroup = 0
    },
  }
}

function refuseShared(installed: readonly InstalledPackage[]): void {
  const [shared] = sharedPaths(installed)
  if (shared === undefined) return
  const { path, owners } = shared
  throw new EnvdError('BUG', `${owners.join(' and ')} share ${path} and were not installed apart`, {
    details: { path, packages: owners },
  })
}

function manifestOf(tree: InstalledTree, digests: ReadonlyMap<InstalledFile, string>): string {
  return formatManifest([
    ...[...tree.directories].map(path => ({ kind: 'directory' as const, path, mode: 0o555 })),
    ...tree.links.map(link => ({ kind: 'link' as const, ...link })),
    ...tree.files.map(file => ({
      kind: 'file' as const,
      path: file.path,
      mode: file.executable ? 0o555 : 0o444,
      size: file.size,
      sha256: digests.get(file)!,
    })),
  ])
}

function recordOf(
  { packageKey, name, version, uncompiled }: InstalledPackage,
  { files, directories }: InstalledTree,
  tree: string,
): PackageRecord {
  const compiled = files.filter(({ path }) => /(?:^|\/)__pycache__\/[^/]+\.pyc$/.test(path))
  return {
    schemaVersion: 1,
    ...{ packageKey, name, version, tree },
    files: files.length,
    directories: directories.size,
    bytes: sumOfSizes(files),
    bytecode: { files: compiled.length, bytes: sumOfSizes(compiled) },
    uncompiled,
    createdAt: new Date().toISOString(),
  }
}

function sumOfSizes(files: readonly InstalledFile[]): number {
  return files.reduce((bytes, { size }) => bytes + size, 0)
}
