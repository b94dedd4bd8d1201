import { chmodSync, lstatSync, readdirSync, rmdirSync, type Stats, unlinkSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasErrno, machineError } from './machine-error.ts'

/** Entries removed before other work of the process gets its turn. */
const slice = 1000

/**
 * Removes a file, link or folder with all it holds, sealed folders (0555) included, and returns the bytes of
 * disk blocks that became free: a file counts when its last link goes. What another process removes at the same
 * time is no error, and what isn't there is removed already. Never follows a link.
 */
export async function removeFolder(path: string): Promise<number> {
  const work = { freed: 0, entries: 0 }
  try {
    await removeEntry(Buffer.from(path), work)
  } catch (error) {
    throw machineError(error, path)
  }
  return work.freed
}

async function removeEntry(path: Buffer, work: { freed: number; entries: number }): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return
  if (++work.entries % slice === 0) await nextTurn()
  if (!stats.isDirectory()) {
    if (gone(() => unlinkSync(path))) work.freed += stats.nlink === 1 ? diskBytes(stats) : 0
    return
  }
  if ((stats.mode & 0o700) !== 0o700) gone(() => chmodSync(path, 0o700))
  let names: Buffer[] = []
  gone(() => {
    names = readdirSync(path, 'buffer')
  })
  for (const name of names) await removeEntry(Buffer.concat([path, slash, name]), work)
  if (gone(() => rmdirSync(path))) work.freed += diskBytes(stats)
}

const slash = Buffer.from('/')

/** Bytes of disk blocks: st_blocks counts 512 bytes, whatever the file system's block size (stat(2)). */
export function diskBytes(stats: Stats): number {
  return stats.blocks * 512
}

/** False when there was nothing to act on any more. */
function gone(action: () => void): boolean {
  try {
    action()
    return true
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false
    throw error
  }
}
