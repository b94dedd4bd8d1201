import { randomUUID } from 'node:crypto'
import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno, onMachine } from '../../disk/machine-error.ts'
import { namesIn } from '../../disk/names-in.ts'
import { removeFolder } from '../../disk/remove-folder.ts'
import { withUvCacheAlone } from '../../lock/uv-cache-lock.ts'
import { uvCachesFolder } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'

export interface ArchiveSearch {
  /** Archives in which one of these files lies. */
  readonly damaged: readonly string[]
  /** Files of the sizes looked for that are none of these, by size. */
  readonly copies: ReadonlyMap<number, readonly Buffer[]>
}

/**
 * Looks through the wheels that uv keeps unpacked (`uv/<version>/archive-v<n>/<id>/`) for files that are known to be
 * damaged, and for files that may be copies of what they were.
 */
export function searchArchives(
  volume: Volume,
  damagedInodes: ReadonlySet<number>,
  sizes: ReadonlySet<number>,
): ArchiveSearch {
  const damaged: string[] = []
  const copies = new Map<number, Buffer[]>()
  for (const archive of archivesOf(volume)) {
    let isDamaged = false
    walk(Buffer.from(archive), (place, inode, size) => {
      if (damagedInodes.has(inode)) isDamaged = true
      else if (sizes.has(size)) copies.set(size, [...(copies.get(size) ?? []), place])
    })
    if (isDamaged) damaged.push(archive)
  }
  return { damaged, copies }
}

/**
 * Takes damaged archives from uv, which accepts what it has unpacked without another look and would install them
 * again. uv fetches a wheel anew whose archive is gone. Waits for each uv that is installing from its cache just now.
 */
export async function dropArchives(
  volume: Volume,
  archives: readonly string[],
  staging: string,
  signal?: AbortSignal,
): Promise<void> {
  if (archives.length === 0) return
  const aside = archives.map(() => join(staging, `archive-${randomUUID()}`))
  const take = () => {
    for (const [index, archive] of archives.entries())
      onMachine(archive, () => renameSync(archive, aside[index]!))
  }
  await withUvCacheAlone(volume, take, signal ? { signal } : {})
  for (const folder of aside) await removeFolder(folder)
}

function archivesOf(volume: Volume): string[] {
  const root = uvCachesFolder(volume)
  const within = (folder: string) => namesIn(folder).map(name => join(folder, name))
  return within(root)
    .flatMap(cache =>
      namesIn(cache).flatMap(name => (/^archive-v\d+$/.test(name) ? [join(cache, name)] : [])),
    )
    .flatMap(within)
}

function walk(folder: Buffer, onFile: (place: Buffer, inode: number, size: number) => void): void {
  for (const name of entriesOf(folder)) {
    const place = Buffer.concat([folder, slash, name])
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats?.isDirectory()) walk(place, onFile)
    else if (stats?.isFile()) onFile(place, stats.ino, stats.size)
  }
}

const slash = Buffer.from('/')

function entriesOf(folder: Buffer): Buffer[] {
  try {
    return readdirSync(folder, 'buffer')
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}
