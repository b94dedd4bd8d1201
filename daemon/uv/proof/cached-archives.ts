import { closeSync, lstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { basename, join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'

/** What uv's cache holds of the distributions that are installed. */
export interface CachedArchives {
  readonly folders: readonly string[]
  /** Inodes of all their files. */
  readonly inodes: ReadonlySet<number>
  /** Names in `bin/` that an installer writes itself: entry points and scripts with `#!python`. */
  readonly written: ReadonlySet<string>
}

/**
 * uv unpacks a wheel to `archive-v0/<id>`, once. Only those that hold one of these `*.dist-info` folders are
 * read through: the cache may hold many environments' worth.
 */
export function readCachedArchives(cacheFolder: string, distInfos: ReadonlySet<string>): CachedArchives {
  const inodes = new Set<number>()
  const written = new Set<string>()
  const folders: string[] = []
  onMachine(cacheFolder, () => {
    for (const bucket of readdirSync(cacheFolder).filter(name => name.startsWith('archive-v'))) {
      for (const id of readdirSync(join(cacheFolder, bucket))) {
        const folder = join(cacheFolder, bucket, id)
        const info = readdirSync(folder).find(name => distInfos.has(name))
        if (info === undefined) continue
        folders.push(folder)
        collect(folder, inodes, written)
        for (const name of entryPoints(join(folder, info, 'entry_points.txt'))) written.add(name)
      }
    }
  })
  return { folders, inodes, written }
}

function collect(folder: string, inodes: Set<number>, written: Set<string>): void {
  const scripts = /\.data\/scripts$/.test(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) collect(path, inodes, written)
    else {
      inodes.add(lstatSync(path).ino)
      if (scripts && isRewritten(path)) written.add(basename(path))
    }
  }
}

/** Wheel format, "Recommended installer features": `#!python` and `#!pythonw` are pointed at the interpreter. */
function isRewritten(script: string): boolean {
  const start = Buffer.alloc('#!python'.length)
  const fd = openSync(script, 'r')
  try {
    readSync(fd, start)
  } finally {
    closeSync(fd)
  }
  return start.toString('latin1') === '#!python'
}

/** Names under `[console_scripts]` and `[gui_scripts]` (entry points specification). */
function entryPoints(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    return []
  }
  let section = ''
  return text.split(/\r?\n/).flatMap(line => {
    const header = /^\s*\[([^\]]+)\]/.exec(line)
    if (header) section = (header[1] ?? '').trim()
    const name = /^\s*([^#;=[]+?)\s*=/.exec(line)?.[1]
    return name !== undefined && ['console_scripts', 'gui_scripts'].includes(section) ? [name] : []
  })
}
