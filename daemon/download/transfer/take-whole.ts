import { createReadStream, lstatSync, rmSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import type { Downloaded, DownloadJob } from '../download-job.ts'
import { startHashes } from './hashes.ts'

/**
 * A file that came whole before, and became a blob, so that it is never written again: read and hashed, it needs no
 * download. Null where there is none, or it isn't what is wanted; then it is gone.
 */
export async function takeWhole({ file, size, expected }: DownloadJob): Promise<Downloaded | null> {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  const comingIn = stats?.isFile() && stats.nlink === 1 && (stats.mode & 0o200) !== 0
  if (stats === undefined || comingIn) return null
  if (stats.isFile() && (size === null || stats.size === size)) {
    const hashes = startHashes(expected, stats.size)
    for await (const chunk of createReadStream(file)) hashes.update(chunk)
    const { sha256, matches } = hashes.finish()
    if (matches) return { sha256, size: stats.size, received: 0 }
  }
  onMachine(file, () => rmSync(file, { recursive: true }))
  return null
}
