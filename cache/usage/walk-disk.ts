import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasErrno, machineError } from '../disk/machine-error.ts'

/** Entries looked at before other work of the process gets its turn. */
const slice = 2000
const slash = Buffer.from('/')

/**
 * Tells of a file or folder and of all it holds, each name once; links aren't followed. What vanishes meanwhile is
 * passed over. Returns the folders that may not be read.
 */
export async function walkDisk(path: string, visit: (stats: Stats, path: Buffer) => void): Promise<string[]> {
  const unread: string[] = []
  const open = [Buffer.from(path)]
  let entries = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (++entries % slice === 0) await nextTurn()
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) continue
    visit(stats, at)
    if (!stats.isDirectory()) continue
    try {
      for (const name of readdirSync(at, 'buffer')) open.push(Buffer.concat([at, slash, name]))
    } catch (error) {
      if (hasErrno(error, 'EACCES')) unread.push(at.toString())
      else if (!hasErrno(error, 'ENOENT')) throw machineError(error, at.toString())
    }
  }
  return unread
}
