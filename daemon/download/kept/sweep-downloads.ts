import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { downloadsFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { drop } from './drop-downloads.ts'

const day = 24 * 3600 * 1000
/** So long an interrupted download is worth carrying on. */
const keptFor = 7 * day

/**
 * Deletes from downloads/ what nobody came back for: files whose state changed last (ctime, which nobody can set back)
 * more than seven days ago, and which no process is downloading (their locks are free). Whoever downloads sweeps first.
 * Errors: IO.
 */
export function sweepDownloads(volume: Volume, now = Date.now()): void {
  const folder = downloadsFolder(volume)
  const fresh = new Set<string>()
  const names = new Set<string>()
  for (const file of namesIn(folder)) {
    const name = file.replace(/\.parts$/, '')
    const stats = lstatSync(join(folder, file), { throwIfNoEntry: false })
    if (stats === undefined) continue
    names.add(name)
    if (now - stats.ctimeMs < keptFor) fresh.add(name)
  }
  for (const name of names) if (!fresh.has(name)) drop(volume, name)
}
