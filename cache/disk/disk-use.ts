import { lstatSync, readdirSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasErrno, machineError } from './machine-error.ts'
import { diskBytes } from './remove-folder.ts'

const slice = 1000
const slash = Buffer.from('/')

/**
 * Bytes of disk blocks that the given files and folders take together; a file with many links among them counts
 * once. What vanishes meanwhile isn't counted. Needs the right to read every folder.
 */
export async function diskUse(...paths: readonly string[]): Promise<number> {
  const linked = new Set<string>()
  const open = paths.map(path => Buffer.from(path))
  let bytes = 0
  let entries = 0
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (++entries % slice === 0) await nextTurn()
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) continue
    if (stats.isDirectory()) {
      for (const name of namesIn(path)) open.push(Buffer.concat([path, slash, name]))
    } else if (stats.nlink > 1) {
      const inode = `${stats.dev}:${stats.ino}`
      if (linked.has(inode)) continue
      linked.add(inode)
    }
    bytes += diskBytes(stats)
  }
  return bytes
}

function namesIn(path: Buffer): Buffer[] {
  try {
    return readdirSync(path, 'buffer')
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return []
    throw machineError(error, path.toString())
  }
}
