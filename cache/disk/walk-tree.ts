import { chmodSync, lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { EnvdError } from '../../src/error.ts'
import { escapeName, isPlain } from '../../src/tree/escaped-name.ts'
import { onMachine } from './machine-error.ts'
import { placeOfLatin1 } from './place-in.ts'
import { diskBytes } from './remove-folder.ts'

/** One thing in a tree. */
export interface Found {
  readonly kind: 'file' | 'directory' | 'link'
  /** Relative, escaped. */
  readonly path: string
  /** What to hand to a system call: Buffer where the path isn't plain. */
  readonly place: string | Buffer
  /** Permission bits. */
  readonly mode: number
  /** Bytes of a file. */
  readonly size: number
  /** Bytes of disk blocks. */
  readonly disk: number
  readonly inode: number
  /** Escaped target of a link, else ''. */
  readonly target: string
}

/** Entries of one batch, between which other work of the process gets its turn. */
const slice = 500

/**
 * Everything under `root`, itself left out, each folder before what it holds, in batches. A folder its owner can't read is
 * made readable, unless it isn't `ours`. Names are bytes, and read as such. TREE_UNSUPPORTED for devices, sockets and pipes.
 */
export async function* walkTree(root: string, { ours = true } = {}): AsyncGenerator<Found[]> {
  // Inside, a path is latin1 text: one character for each byte.
  const top = Buffer.from(root).toString('latin1')
  const open = ['']
  let batch: Found[] = []
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const place = placeOfLatin1(top + folder)
    for (const name of onMachine(root, () => readdirSync(place, 'latin1'))) {
      const relative = `${folder}/${name}`
      const found = onMachine(root, () => inspect(relative.slice(1), placeOfLatin1(top + relative), ours))
      if (found.kind === 'directory') open.push(relative)
      batch.push(found)
    }
    if (batch.length < slice && open.length > 0) continue
    yield batch
    batch = []
    await nextTurn()
  }
}

function inspect(relative: string, place: string | Buffer, ours: boolean): Found {
  const stats = lstatSync(place)
  const path = escapeLatin1(relative)
  const kind = kindOf(stats, path)
  const mode = stats.mode & 0o7777
  if (ours && kind === 'directory' && (mode & 0o500) !== 0o500) chmodSync(place, mode | 0o700)
  const target = kind === 'link' ? escapeName(readlinkSync(place, 'buffer')) : ''
  const size = kind === 'file' ? stats.size : 0
  return { kind, path, place, mode, size, disk: diskBytes(stats), inode: stats.ino, target }
}

function kindOf(stats: Stats, path: string): Found['kind'] {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  if (stats.isSymbolicLink()) return 'link'
  const what = stats.isFIFO() ? 'a named pipe' : stats.isSocket() ? 'a socket' : 'a device'
  throw new EnvdError('TREE_UNSUPPORTED', `${path} is ${what}`, { details: { path } })
}

function escapeLatin1(text: string): string {
  return isPlain(text) ? text : escapeName(Buffer.from(text, 'latin1'))
}
