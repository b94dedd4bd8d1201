import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relinkArchives } from '../../../cache/blob/relink-archives.ts'
import { withUvCache } from '../../../cache/lock/uv-cache-lock.ts'
import type { InstalledPackage } from '../../../cache/package/installed-package.ts'
import { takeInPackages } from '../../../cache/package/take-in-package.ts'
import { recordReplaced } from '../../../cache/verify/record/record-replaced.ts'
import { faultPoint } from '../../../cache/volume/fault-point.ts'
import {
  blobsFolder,
  packageFile,
  packagesFolder,
  treeFile,
  treesFolder,
} from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { compileBytecode } from '../../python/compile-bytecode.ts'
import { dropDamaged } from '../../uv/proof/drop-damaged.ts'
import type { UvSession } from '../../uv/run/uv-session.ts'
import type { Build } from './build-environment.ts'
import { type DiskCount, startDiskCount } from './disk-added.ts'
import { type InstalledPackages, installPackages } from './install/install-packages.ts'
import { openUvSession } from './install/open-uv-session.ts'
import { keepHeapSmall } from './keep-heap-small.ts'
import type { WantedPackage } from './wanted-packages.ts'
import type { Staging } from './with-staging.ts'

export interface Brought {
  readonly packages: readonly PackageRecord[]
  /** Contents of their files that the store did not have. */
  readonly newFiles: number
  /** Disk blocks added to the volume, in bytes, uv's cache included. */
  readonly added: number
  readonly session: UvSession
}

/**
 * Brings what the store does not know: uv installs it into staging, its bytecode is compiled, its files become
 * blobs, and uv's own unpacked copies become links to these.
 */
export async function bringPackages(
  build: Build,
  staging: Staging,
  missing: readonly WantedPackage[],
): Promise<Brought> {
  const { context, inputs, report } = build
  keepHeapSmall()
  const session = await openUvSession(context, staging, {
    furtherIndexes: inputs.furtherIndexes,
    log: build.key,
    onMessage: message => report({ phase: 'download', message }),
  })
  try {
    return await bringWith(session, build, staging, missing)
  } catch (error) {
    const names = missing.flatMap(({ distribution }) => distribution?.name ?? [])
    await dropDamaged(context.volume, session, error, names)
    throw error
  }
}

async function bringWith(
  session: UvSession,
  build: Build,
  staging: Staging,
  missing: readonly WantedPackage[],
): Promise<Brought> {
  const { context, clock, report } = build
  const installed = await installPackages(build, session, staging, missing)
  const compiled = await compile(build, session.builder.interpreter, installed)
  faultPoint('build:after-bytecode')
  const takeIn = () =>
    takeInPackages(context.volume, compiled, {
      ...{ staging: staging.id, signal: context.signal },
      onProgress: (done, total) =>
        report({ phase: 'hash', message: 'taking in', done, total, unit: 'bytes' }),
    })
  const takeInAndRelink = async () => {
    const { packages, added, digests, damaged } = await clock.measure('hash', takeIn)
    if (damaged.length > 0) markReached(build, damaged)
    faultPoint('build:after-take-in')
    // Meanwhile one may have been taken from uv as damaged.
    const archives = installed.archives.filter(archive => existsSync(archive))
    const options = { staging: staging.id, signal: context.signal }
    await clock.measure('link', () => relinkArchives(context.volume, archives, digests, options))
    return { packages, newFiles: added.files }
  }
  const { packages, newFiles } = await withUvCache(context.volume, takeInAndRelink, {
    signal: context.signal,
  })
  const count = startDiskCount(staging.startedMs)
  count.everything(session.uv.cacheFolder)
  for (const root of installed.roots) count.sharedFiles(root)
  countRecords(count, context.volume, packages)
  return { packages, newFiles, added: count.bytes(), session }
}

/** Of blobs that were damaged, and are good again. */
function markReached({ context, report }: Build, damaged: readonly string[]): void {
  const reached = recordReplaced(context.volume, damaged).length
  report({
    phase: 'hash',
    message: `${damaged.length} files of the store were damaged; the next prepare of ${reached} environments heals them`,
  })
}

/** One process a package, as many side by side as there are cores. */
async function compile(
  { context, clock, report }: Build,
  interpreter: string,
  installed: InstalledPackages,
): Promise<InstalledPackage[]> {
  return clock.measure('compile', async () => {
    const all: InstalledPackage[] = []
    for (const root of installed.roots) {
      const packages = installed.packages.filter(one => one.root === root)
      const compiled = await compileBytecode(interpreter, root, packages, {
        signal: context.signal,
        jobs: availableParallelism(),
        onProgress: (done, total) =>
          report({ phase: 'compile', message: 'compiling bytecode', done, total, unit: 'files' }),
      })
      for (const one of packages) {
        const { compiled: paths, uncompiled } = compiled.get(one.name) ?? { compiled: [], uncompiled: [] }
        // Bytecode that a wheel brings along, as numpy's do, has given way to ours.
        const expected = new Map(one.expected)
        for (const path of paths) expected.delete(path)
        all.push({ ...one, paths: [...new Set([...one.paths, ...paths])], expected, uncompiled })
      }
    }
    return all
  })
}

function countRecords(count: DiskCount, volume: Volume, packages: readonly PackageRecord[]): void {
  for (const { tree, packageKey } of packages) {
    count.everything(treeFile(volume, tree))
    count.everything(packageFile(volume, packageKey))
  }
  for (const folder of [blobsFolder(volume), packagesFolder(volume), treesFolder(volume)]) {
    count.folders(folder)
  }
}
