import { setImmediate as nextTurn } from 'node:timers/promises'
import { EnvdError } from '../../src/error.ts'
import type { PackageRecord } from '../../src/report/package-record.ts'
import { isCompiled } from '../../src/tree/is-compiled.ts'
import { formatManifest } from '../../src/tree/manifest.ts'
import { takeInFiles } from '../blob/take-in-files.ts'
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
  /** What the store did not have: contents, and the sum of their sizes. */
  readonly added: { readonly files: number; readonly bytes: number }
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
  const { staging, signal, onProgress } = options
  const written: WrittenRecord[] = []
  const digests = new Map<number, string>()
  /** By position, as what is written. */
  const unexpected: UnexpectedFile[][] = []
  /** Of files that are on their way. */
  const packageOf = new Map<InstalledFile, PackageOnItsWay>()

  async function* files(): AsyncGenerator<readonly InstalledFile[]> {
    for (const [position, one] of installed.entries()) {
      const tree = readInstalledTree(one)
      const onItsWay = { position, installed: one, tree, digests: new Map<InstalledFile, string>() }
      for (const file of tree.files) packageOf.set(file, onItsWay)
      if (tree.files.length === 0) endPackage(onItsWay)
      else yield tree.files
      await nextTurn()
    }
  }

  function onDigest(file: InstalledFile, sha256: string): void {
    const onItsWay = packageOf.get(file)!
    packageOf.delete(file)
    digests.set(file.inode, sha256)
    onItsWay.digests.set(file, sha256)
    if (onItsWay.digests.size === onItsWay.tree.files.length) endPackage(onItsWay)
  }

  /** Its files are no longer kept in memory. */
  function endPackage({ position, installed, tree, digests }: PackageOnItsWay): void {
    const files = unexpectedFiles(installed, tree, digests)
    if (files.length > 0) unexpected[position] = files
    if (unexpected.length > 0) return
    const digest = writeTree(volume, staging, manifestOf(tree, digests))
    written[position] = writeRecord(volume, staging, recordOf(installed, tree, digest))
  }

  const { added, damaged } = await takeInFiles(volume, files(), { staging, signal, onProgress, onDigest })
  refuseUnexpected(unexpected.flat())
  await syncFileSystem(stagingFolder(volume, staging))
  faultPoint('take-in:after-trees')
  return { packages: written.map(one => publishRecord(volume, one)), added, digests, damaged }
}

interface PackageOnItsWay {
  /** Among those that were handed in. */
  readonly position: number
  readonly installed: InstalledPackage
  readonly tree: InstalledTree
  readonly digests: Map<InstalledFile, string>
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
  const compiled = files.filter(({ path }) => isCompiled(path))
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
