import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs'
import type { Key } from '../../src/digest.ts'
import { EnvdError, type ErrorCode } from '../../src/error.ts'
import type { Uncompiled } from '../../src/report/package-record.ts'
import { escapeName } from '../../src/tree/escaped-name.ts'
import { hasErrno, machineError, onMachine } from '../disk/machine-error.ts'
import { placeIn } from '../disk/place-in.ts'

/** A distribution as it lies in a virtualenv. */
export interface InstalledPackage {
  readonly packageKey: Key
  /** Normalized (PEP 503). */
  readonly name: string
  readonly version: string
  /** The virtualenv, absolute. */
  readonly root: string
  /** All of the package: relative to the virtualenv, escaped (src/tree/escaped-name.ts), bytecode included. */
  readonly paths: readonly string[]
  /** Folders of it in which nothing lies, as `paths`; other packages may have them too. */
  readonly emptyFolders?: readonly string[]
  readonly uncompiled: readonly Uncompiled[]
  /** Path → sha256, 64 hex digits, that a file must have to be taken in. */
  readonly expected?: ReadonlyMap<string, string>
}

export interface InstalledFile {
  /** Escaped, relative to the virtualenv. */
  readonly path: string
  readonly place: string | Buffer
  /** Bytes. */
  readonly size: number
  readonly executable: boolean
  readonly inode: number
}

/** What of a virtualenv is one package's. */
export interface InstalledTree {
  readonly files: readonly InstalledFile[]
  /** Every folder on the way, the root not counted. */
  readonly directories: ReadonlySet<string>
  readonly links: readonly { readonly path: string; readonly target: string }[]
}

/**
 * Looks at everything a package lists. A path through a symbolic link (`lib64/…`) is named by where it really lies.
 * Errors: CLOSURE_NOT_INSTALLED (it is not there, or outside of the virtualenv), TREE_UNSUPPORTED (a device, socket
 * or pipe), IO.
 */
export function readInstalledTree(installed: InstalledPackage): InstalledTree {
  const { root } = installed
  const top = escapeName(onMachine(root, () => realpathSync.native(root, 'buffer')))
  const realFolders = new Map([['', '']])
  const directories = new Set<string>()
  const files = new Map<string, InstalledFile>()
  const links = new Map<string, string>()

  function realFolder(folder: string): string {
    let real = realFolders.get(folder)
    if (real !== undefined) return real
    const resolved = escapeName(resolve(installed, folder))
    if (!resolved.startsWith(`${top}/`)) throw refusal(installed, folder, 'lies outside of the virtualenv')
    real = resolved.slice(top.length + 1)
    realFolders.set(folder, real)
    addFolders(real)
    return real
  }

  function addFolders(path: string): void {
    for (let folder = path; folder !== '' && !directories.has(folder); folder = parentOf(folder)) {
      directories.add(folder)
    }
  }

  for (const listed of installed.paths) {
    if (notRelative.test(listed)) throw refusal(installed, listed, 'lies outside of the virtualenv')
    const folder = realFolder(parentOf(listed))
    const name = listed.slice(listed.lastIndexOf('/') + 1)
    const path = folder === '' ? name : `${folder}/${name}`
    const place = placeIn(root, path)
    const stats = onMachine(place.toString(), () => lstatSync(place, { throwIfNoEntry: false }))
    if (stats === undefined) throw refusal(installed, listed, 'is not there')
    if (stats.isDirectory()) addFolders(path)
    else if (stats.isSymbolicLink()) links.set(path, escapeName(readlinkSync(place, 'buffer')))
    else if (stats.isFile()) files.set(path, installedFile(path, place, stats))
    else throw refusal(installed, path, 'is no file, folder or symbolic link', 'TREE_UNSUPPORTED')
  }
  for (const folder of installed.emptyFolders ?? []) {
    const place = placeIn(root, folder)
    const stats = onMachine(place.toString(), () => lstatSync(place, { throwIfNoEntry: false }))
    if (stats?.isDirectory()) addFolders(folder)
  }
  return {
    files: [...files.values()],
    directories,
    links: [...links].map(([path, target]) => ({ path, target })),
  }
}

/** An empty, `.` or `..` part. */
const notRelative = /(?:^|\/)\.{0,2}(?:\/|$)/

function resolve(installed: InstalledPackage, folder: string): Buffer {
  const place = placeIn(installed.root, folder)
  try {
    return realpathSync.native(place, 'buffer')
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) throw refusal(installed, folder, 'is not there')
    throw machineError(error, place.toString())
  }
}

function installedFile(path: string, place: string | Buffer, stats: Stats): InstalledFile {
  return { path, place, size: stats.size, executable: (stats.mode & 0o111) !== 0, inode: stats.ino }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function refusal(
  { name, version }: InstalledPackage,
  path: string,
  what: string,
  code: ErrorCode = 'CLOSURE_NOT_INSTALLED',
): EnvdError {
  return new EnvdError(code, `${path}, which ${name} ${version} lists, ${what}`, {
    details: { path, package: name },
  })
}
