import { randomUUID } from 'node:crypto'
import { chmodSync, linkSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { syncFolder, writeNewDurable } from '../disk/durable.ts'
import { hasErrno, machineError, onMachine } from '../disk/machine-error.ts'
import { makeFolder, makeFolders } from '../disk/make-folder.ts'
import { faultPoint } from './fault-point.ts'
import {
  type At,
  CLAIM_PREFIX,
  claimFile,
  FOLDERS,
  fenceFile,
  LAYOUT_VERSION,
  versionFile,
} from './layout.ts'
import { formatVersion, readVersion, type VersionFile } from './version-file.ts'

/**
 * Makes a volume, whole or not at all, against any number of processes that try it at once:
 *
 *  1. write the whole VERSION as `.VERSION-<uuid>`, durably: a claim. A folder that holds claims and volume
 *     folders is ours, going on or cut off, and anybody may carry on;
 *  2. make the folders; each attempt makes the same ones;
 *  3. link(2) the claim to VERSION: the commit point. One link succeeds; the others read the winner's VERSION;
 *  4. remove the claims.
 */
export function createVolume(root: string, options: { makeParents: boolean }): VersionFile {
  const at = { root }
  return onMachine(root, () => {
    makeRoot(root, options.makeParents)
    requireCreatable(at)
    faultPoint('volume:before-claim')
    const id = randomUUID()
    const claim = claimFile(at, id)
    writeNewDurable(claim, formatVersion({ layout: LAYOUT_VERSION, id }), 0o644)
    faultPoint('volume:after-claim')
    proveHardLinks(root, claim)
    makeContents(at)
    faultPoint('volume:after-folders')
    commit(at, claim)
    faultPoint('volume:after-version')
    removeClaims(root)
    const version = readVersion(at)
    if (version === null)
      throw new EnvdError('VOLUME_BUSY', `The volume ${root} was removed while it was made`)
    return version
  })
}

function makeRoot(root: string, makeParents: boolean): void {
  try {
    if (makeParents) makeFolders(root)
    else makeFolder(root)
  } catch (error) {
    if (!hasErrno(error, 'ENOENT')) throw error
    throw new EnvdError(
      'VOLUME_PARENT_MISSING',
      `${dirname(root)}, where the volume would be made, does not exist`,
      {
        details: { path: root },
        cause: error,
      },
    )
  }
}

/** What a file system may bring along in an empty mount point. */
const ignored = new Set(['lost+found'])

/**
 * Throws VOLUME_FOREIGN where a folder holds something else than the beginnings of a volume. Reading a folder
 * is not atomic: a claim made after the reading began may be missed while a folder made later still is seen.
 * So a folder that has only our names is read again, and then shows the claim, or VERSION.
 */
export function requireCreatable(at: At): void {
  const { root } = at
  let names: string[]
  for (let reading = 1; ; reading++) {
    try {
      names = readdirSync(root).filter(name => !ignored.has(name))
    } catch (error) {
      if (hasErrno(error, 'ENOENT')) return
      if (hasErrno(error, 'ENOTDIR')) throw foreign(root, 'is not a folder')
      throw machineError(error, root)
    }
    if (names.length === 0 || names.some(name => name.startsWith(CLAIM_PREFIX) || name === 'VERSION')) break
    if (reading === 2 || names.some(name => !ours.has(name)))
      throw foreign(root, `holds ${names[0]} but no VERSION`)
  }
  const strange = names.find(name => !ours.has(name) && !name.startsWith(CLAIM_PREFIX))
  if (strange !== undefined && readVersion(at) === null)
    throw foreign(root, `holds ${strange} but no VERSION`)
}

const ours: ReadonlySet<string> = new Set(['VERSION', ...FOLDERS])

function foreign(root: string, why: string): EnvdError {
  return new EnvdError('VOLUME_FOREIGN', `${root} ${why}: it is not a volume of envd`, {
    details: { path: root },
  })
}

function proveHardLinks(root: string, claim: string): void {
  const probe = `${claim}-link`
  try {
    linkSync(claim, probe)
    rmSync(probe)
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return // the claim is gone: another process has made the volume
    rmSync(claim, { force: true })
    if (!hasErrno(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK')) throw error
    throw new EnvdError('VOLUME_NO_HARD_LINKS', `The file system at ${root} has no hard links`, {
      details: { path: root },
      cause: error,
    })
  }
}

function makeContents(at: At): void {
  const { mode } = statSync(at.root)
  if ((mode & 0o555) !== 0o555) chmodSync(at.root, (mode & 0o7777) | 0o555)
  for (const name of FOLDERS) makeFolder(join(at.root, name), name === 'leases' ? 0o1777 : 0o755)
  try {
    writeFileSync(fenceFile(at), `${'0'.repeat(20)}\n`, { flag: 'wx' })
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
  }
  if (statSync(fenceFile(at)).uid === process.geteuid!()) chmodSync(fenceFile(at), 0o666)
}

function commit(at: At, claim: string): void {
  try {
    linkSync(claim, versionFile(at))
  } catch (error) {
    // EEXIST: another process was first. ENOENT: and has removed our claim already.
    if (!hasErrno(error, 'EEXIST', 'ENOENT')) throw error
  }
  syncFolder(at.root)
  syncFolder(dirname(at.root))
}

function removeClaims(root: string): void {
  for (const name of readdirSync(root)) {
    if (name.startsWith(CLAIM_PREFIX)) rmSync(join(root, name), { force: true })
  }
}
