import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hasErrno, onMachine } from '../../disk/machine-error.ts'

/** What makes a pid mean something: it names one process of one boot of one host in one pid namespace. */
export interface Host {
  /** 64 hex digits; stays the same when the host boots again. */
  readonly id: string
  /** For people; two hosts may have the same. */
  readonly name: string
  readonly bootId: string
  /** `pid:[4026531836]`: in a container, pids are others (namespaces(7)). */
  readonly pidNamespace: string
}

let host: Host | undefined

export function thisHost(): Host {
  host ??= {
    id: hostId(),
    name: hostname(),
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
    pidNamespace: readlinkSync('/proc/self/ns/pid'),
  }
  return host
}

/**
 * From machine-id(5), hashed as that page demands of whoever publishes it. A machine without one gets an id that
 * is kept in `fallbackFolder`, which must be local to the host and outlive a boot.
 */
export function hostId(machineIdFile = '/etc/machine-id', fallbackFolder = '/var/tmp'): string {
  const seed = readText(machineIdFile)
  const known =
    seed !== null && /^[0-9a-f]{32}$/.test(seed)
      ? seed
      : onMachine(fallbackFolder, () => keptId(fallbackFolder))
  return createHash('sha256').update(`envd host id 1\n${known}`).digest('hex')
}

/**
 * One id for each user, as the folder is everybody's: two users without a machine-id are two hosts to each
 * other, which costs waiting for expiry and never a wrong verdict.
 */
function keptId(folder: string): string {
  const uid = process.geteuid!()
  const path = join(folder, `.envd-host-${uid}`)
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, randomUUID(), { mode: 0o600, flag: 'wx' })
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
  } finally {
    rmSync(temporary)
  }
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile() || stats.uid !== uid) throw new Error(`${path} belongs to somebody else`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EACCES', 'EISDIR')) return null
    throw error
  }
}
