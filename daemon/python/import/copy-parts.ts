import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { hasErrno, machineError, onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { EnvdError } from '../../../src/error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import { isLeftOut, missedModule } from '../../../src/python/left-out.ts'
import { namesItsPrefix, rewritePrefix } from '../../../src/python/rewrite-prefix.ts'
import { statsOf } from '../fingerprint.ts'
import type { Part } from './parts-of-python.ts'
import type { PythonSource } from './python-source.ts'

export interface CopiedFile {
  /** Relative to the copy: `bin/python3.12`. */
  readonly path: string
  /** Where it came from, absolute, symlinks resolved. */
  readonly from: string
}

export interface Copied {
  /** Sorted by path; links are not among them. */
  readonly files: readonly CopiedFile[]
  /** Modules that users may miss, sorted. */
  readonly leftOut: readonly string[]
}

export interface CopyOptions {
  readonly signal: AbortSignal
  /** Files copied so far. */
  readonly onProgress: (done: number) => void
}

/** Files between which other work of the process gets its turn. */
const slice = 100

/**
 * Copies the parts of a Python to `to`, writable and without what is left out (src/python/left-out.ts): what is
 * relocated later must not be the original, nor a hard link to it. Links that stay inside of what is copied stay
 * links; of others the file they lead to is copied, and what leads nowhere is left out. Files that name their prefix
 * name the container's. Errors: DISK_FULL, VOLUME_READ_ONLY, IO, TREE_UNSUPPORTED; the signal's reason.
 */
export async function copyParts(
  { name }: PythonSource,
  parts: readonly Part[],
  to: string,
  { signal, onProgress }: CopyOptions,
): Promise<Copied> {
  const library = `lib/${name}/`
  const files = new Map<string, string>()
  const missed = new Set<string>()

  async function copy(from: string, path: string): Promise<void> {
    if (path.startsWith(library) && isLeftOut(path.slice(library.length))) {
      const module = missedModule(path.slice(library.length))
      if (module !== null) missed.add(module)
      return
    }
    const stats = onMachine(from, () => lstatSync(from))
    const place = join(to, path)
    if (stats.isDirectory()) {
      onMachine(place, () => makeFolders(place))
      for (const name of onMachine(from, () => readdirSync(from)).sort())
        await copy(join(from, name), `${path}/${name}`)
      return
    }
    if (stats.isSymbolicLink() && staysInside(parts, from)) {
      onMachine(place, () => symlinkSync(readlinkSync(from), place))
      return
    }
    const real = statsOf(from)
    if (real === undefined && stats.isSymbolicLink()) return
    if (real?.isFile() !== true) throw unsupported(from)
    copyFile(from, place)
    files.set(
      path,
      onMachine(from, () => realpathSync(from)),
    )
    if (files.size % slice !== 0) return
    onProgress(files.size)
    signal.throwIfAborted()
    await nextTurn()
  }

  for (const part of parts) {
    onMachine(to, () => makeFolders(dirname(join(to, part.to))))
    await copy(part.from, part.to)
  }
  return {
    files: [...files].map(([path, from]) => ({ path, from })).sort((a, b) => (a.path < b.path ? -1 : 1)),
    leftOut: [...missed].sort(),
  }
}

/** A relative link to a name beside it or below, which is copied like itself. */
function staysInside(parts: readonly Part[], link: string): boolean {
  const target = readlinkSync(link)
  if (target.startsWith('/') || statsOf(link) === undefined) return false
  const place = join(dirname(link), target)
  return parts.some(({ from }) => {
    const inside = relative(from, place)
    return !inside.startsWith('../') && !pathsTo(inside).some(isLeftOut)
  })
}

/** `a`, `a/b` and `a/b/c` of the last. */
function pathsTo(path: string): string[] {
  return path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'))
}

/** Executable for all or for nobody, and writable for its owner, whatever the original is. */
function copyFile(from: string, to: string): void {
  try {
    rmSync(to, { force: true })
    const text = namesItsPrefix(basename(to)) ? readFileSync(from, 'utf8') : null
    if (text === null) copyFileSync(from, to)
    else writeFileSync(to, rewritePrefix(text, CONTAINER.python))
    chmodSync(to, (lstatSync(realpathSync(from)).mode & 0o111) === 0 ? 0o644 : 0o755)
  } catch (error) {
    throw machineError(withPlace(error, to), to)
  }
}

/** copy_file_range(2) and its like name the file they read, also where it is the disk written to that is full. */
function withPlace(error: unknown, to: string): unknown {
  return hasErrno(error, 'ENOSPC', 'EDQUOT', 'EROFS') ? Object.assign(error as Error, { path: to }) : error
}

function unsupported(path: string): EnvdError {
  return new EnvdError('TREE_UNSUPPORTED', `${path} is no file, and no folder of that Python`, {
    hint: 'A Python that is taken in consists of files, folders and symbolic links to files.',
    details: { path },
  })
}
