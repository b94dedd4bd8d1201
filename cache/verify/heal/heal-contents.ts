import { randomUUID } from 'node:crypto'
import { lstatSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { blobPath } from '../../blob/blob-path.ts'
import { linkBlob } from '../../blob/link/link-blob.ts'
import { renewBlob } from '../../blob/link/renew-blob.ts'
import { syncFolder } from '../../disk/durable.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { makeFolder } from '../../disk/make-folder.ts'
import { placeIn } from '../../disk/place-in.ts'
import { waitForLock } from '../../lock/ofd-lock.ts'
import { withUvCacheAlone } from '../../lock/uv-cache-lock.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { lockFile } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { locateContents, type Uses } from '../locate-contents.ts'
import { type Content, contentName } from '../problem.ts'
import type { DamagedContent } from '../record/damage-record.ts'
import { forgetPackages } from './forget-packages.ts'
import { isGoodBlob, isGoodFile } from './good-file.ts'
import { lstatWithin } from './lstat-within.ts'
import { dropArchives, searchArchives } from './search-archives.ts'
import { keepInQuarantine } from './set-aside.ts'

/**
 * Makes blobs good again: from any file on the volume that has the content (a tree's own copy, the blob of
 * the other mode, uv's archives). Where there is none, the blob goes into quarantine and the packages that need it are
 * forgotten, so that a build brings them again. Returns the names of contents that are gone for now. Whatever happens,
 * uv no longer has the damaged files. Cut off anywhere, it can begin again. One process at a time does it, and builds
 * may bring good files meanwhile. Errors: IO, DISK_FULL, the signal's reason.
 */
export async function healContents(
  volume: Volume,
  contents: readonly DamagedContent[],
  staging: string,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const lock = await waitForLock(lockFile(volume, 'heal'), waiting(signal))
  try {
    return await healAlone(volume, contents, staging, signal)
  } finally {
    lock.release()
  }
}

async function healAlone(
  volume: Volume,
  contents: readonly DamagedContent[],
  staging: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const bad = contents.filter(content => onMachine(volume.root, () => !isGoodBlob(volume, content)))
  const uses = locateContents(volume, bad)
  const damaged = new Set(contents.flatMap(({ inodes }) => inodes))
  const copies = await takeFromArchives(volume, damaged, bad, uses, staging, signal)
  faultPoint('heal:after-archives')
  const replaceAll = () => {
    const lost = bad.filter(content => {
      const use = uses.get(contentName(content))
      replace(volume, content, () => {
        const own = copiesInTrees(volume, use, damaged)
        const other = [
          blobPath(volume, content.sha256, !content.executable),
          ...(copies.get(use?.size ?? -1) ?? []),
        ]
        return (
          own.some(place => adopt(volume, place, content, staging)) ||
          other.some(place => copyFrom(volume, place, content, staging))
        )
      })
      return !isGoodBlob(volume, content)
    })
    // Asked again: a build may have written down a package meanwhile that relies on one of them.
    for (const { trees } of locateContents(volume, lost).values()) forgetPackages(volume, trees)
    return new Set(lost.map(contentName))
  }
  // A build that is just taking in may have found one of them, and taken it for good.
  const lost =
    bad.length > 0 ? await withUvCacheAlone(volume, replaceAll, waiting(signal)) : new Set<string>()
  faultPoint('heal:after-blobs')
  return lost
}

function waiting(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {}
}

async function takeFromArchives(
  volume: Volume,
  damaged: ReadonlySet<number>,
  bad: readonly Content[],
  uses: ReadonlyMap<string, Uses>,
  staging: string,
  signal: AbortSignal | undefined,
): Promise<ReadonlyMap<number, readonly Buffer[]>> {
  if (damaged.size + bad.length === 0) return new Map()
  const sizes = new Set(bad.flatMap(content => uses.get(contentName(content))?.size ?? []))
  const found = onMachine(volume.root, () => searchArchives(volume, damaged, sizes))
  await dropArchives(volume, found.damaged, staging, signal)
  return found.copies
}

/** Files that trees have as their own: of a time when the blob had no links left, or what was put there. */
function copiesInTrees(
  volume: Volume,
  use: Uses | undefined,
  damaged: ReadonlySet<number>,
): (string | Buffer)[] {
  const inodes = new Set(damaged)
  const inEnvironments = (use?.places ?? []).map(({ key, path }) => `envs/${key}/tree/${path}`)
  return [...inEnvironments, ...(use?.inTrees ?? [])].flatMap(path => {
    const place = placeIn(volume.root, path)
    const stats = lstatWithin(volume.root, place)
    if (stats === 'nowhere' || !stats?.isFile() || stats.size !== use?.size || inodes.has(stats.ino))
      return []
    inodes.add(stats.ino)
    return [place]
  })
}

/**
 * `bring` puts a good file in the blob's place; where it can't, the place is left empty. The search took its time: a
 * good file that a build has put there meanwhile stays.
 */
function replace(volume: Volume, content: Content, bring: () => boolean): void {
  const blob = blobPath(volume, content.sha256, content.executable)
  onMachine(blob, () => {
    makeFolder(dirname(blob))
    const judged = inodeOf(blob)
    if (isGoodBlob(volume, content)) return
    const kept = keepInQuarantine(volume, blob)
    faultPoint('heal:after-quarantine')
    if (!bring() && kept && inodeOf(blob) === judged) rmSync(blob)
    syncFolder(dirname(blob))
  })
}

function inodeOf(blob: string): number | undefined {
  return lstatSync(blob, { throwIfNoEntry: false })?.ino
}

/** Makes a file that an environment has for itself the blob. */
function adopt(volume: Volume, place: string | Buffer, content: Content, staging: string): boolean {
  if (!isGoodFile(place, content)) return false
  const link = join(staging, randomUUID())
  if (linkBlob(place, link) === 'full') return copyFrom(volume, place, content, staging)
  renameSync(link, blobPath(volume, content.sha256, content.executable))
  return true
}

function copyFrom(volume: Volume, place: string | Buffer, content: Content, staging: string): boolean {
  if (!lstatSync(place, { throwIfNoEntry: false })?.isFile()) return false
  try {
    renewBlob(blobPath(volume, content.sha256, content.executable), content, staging, place)
    return true
  } catch (error) {
    if (error instanceof EnvdError && (error.code === 'VOLUME_CORRUPT' || error.code === 'IO')) return false
    throw error
  }
}
