import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/**
 * One lease, `leases/<id>.json`. A file is written whole under another name (`.<uuid>`) and renamed, also to put off its
 * expiry, so that it is complete whenever it can be seen. Any user may take one; it claims, and grants nothing.
 */
export interface LeaseRecord {
  readonly schemaVersion: 1
  /**
   * The file's name: a UUID, with `mount@<task>@` before it for a mount and `container@<container>@<task>@` for a
   * container, so that a shell finds a task's leases without reading any. None is used twice.
   */
  readonly id: string
  /** `mount` is held by no process and lives until it expires; it is for containers about to start. */
  readonly kind: 'build' | 'run' | 'mount' | 'container'
  /** Environment keys it is for; for containers also digests of interpreters and keys of artifacts. */
  readonly keys: readonly string[]
  /** Of a mount or a container. */
  readonly task?: string
  /** The engine's id of the container. */
  readonly container?: string
  /** Staging folder of a build. */
  readonly staging: string | null
  /** Who holds it: a process of one boot of one host (holder/this-host.ts). */
  readonly host: string
  readonly hostName: string
  readonly bootId: string
  readonly pidNamespace: string
  readonly pid: number
  /** processStart(pid). */
  readonly startTime: string
  readonly uid: number
  /** Greater than that of every lease taken before on this volume; a container has that of its task's mount. */
  readonly fence: number
  /** ISO 8601; in a file of the hook, seconds since the epoch. */
  readonly since: string
  /** The same; put off while the holder lives. Only those who can't see the process go by it. */
  readonly expires: string
}

const kinds: readonly LeaseRecord['kind'][] = ['build', 'run', 'mount', 'container']

/** More than any lease has; other users can write here. */
const maxBytes = 1 << 20

/** Null for what is not a whole lease of that id. Throws system errors, ENOENT among them. */
export function readLeaseRecord(path: string, id: string): LeaseRecord | null {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile() || stats.size > maxBytes) return null
    const value: unknown = JSON.parse(readFileSync(fd, 'utf8'), withDate)
    return isLeaseRecord(value) && value.id === id ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  } finally {
    closeSync(fd)
  }
}

function isLeaseRecord(value: unknown): value is LeaseRecord {
  if (typeof value !== 'object' || value === null) return false
  const lease = value as Record<keyof LeaseRecord, unknown>
  const texts = [lease.id, lease.host, lease.hostName, lease.bootId, lease.pidNamespace, lease.startTime]
  const names = [lease.task, lease.container]
  const counts = [lease.pid, lease.uid, lease.fence]
  return (
    lease.schemaVersion === 1 &&
    kinds.includes(lease.kind as LeaseRecord['kind']) &&
    Array.isArray(lease.keys) &&
    lease.keys.every(key => typeof key === 'string') &&
    (lease.staging === null || typeof lease.staging === 'string') &&
    texts.every(text => typeof text === 'string') &&
    names.every(name => name === undefined || typeof name === 'string') &&
    counts.every(count => Number.isSafeInteger(count) && (count as number) >= 0) &&
    isDate(lease.since) &&
    isDate(lease.expires)
  )
}

function withDate(name: string, value: unknown): unknown {
  const isTime = (name === 'since' || name === 'expires') && Number.isSafeInteger(value)
  return isTime ? new Date((value as number) * 1000).toISOString() : value
}

function isDate(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
