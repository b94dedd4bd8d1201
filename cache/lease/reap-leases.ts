import { hasErrno } from '../disk/machine-error.ts'
import type { Volume } from '../volume/open-volume.ts'
import { thisHost } from './holder/this-host.ts'
import type { LeaseRecord } from './lease-record.ts'
import { readLeases } from './live-leases.ts'
import { removeLease, writeLease } from './write-lease.ts'

/** What the hook gives a container (bin/hook/envd-hook), and what it gets again once half of it is over. */
const containerMs = 7 * 24 * 60 * 60_000

/**
 * Removes the leases whose holder is gone, as a crash leaves them, and puts off the expiry of those of this host's
 * containers that run, for other hosts to see: nothing of envd's runs beside a container. No id is used twice, so what
 * is dead stays dead. What belongs to another user stays. Returns the leases that live.
 */
export function reapLeases(volume: Volume): readonly LeaseRecord[] {
  const { live, dead } = readLeases(volume)
  for (const lease of dead) unlessForbidden(() => removeLease(volume, lease))
  const { id, pidNamespace } = thisHost()
  for (const lease of live) {
    const isSeen = lease.kind === 'container' && lease.host === id && lease.pidNamespace === pidNamespace
    const left = Date.parse(lease.expires) - Date.now()
    if (!isSeen || left > containerMs / 2) continue
    const expires = new Date(Date.now() + containerMs).toISOString()
    unlessForbidden(() => writeLease(volume, { ...lease, expires }))
  }
  return live
}

/** Each is done by somebody, soon: by the owner's next command, or by the container's user's. */
function unlessForbidden(action: () => void): void {
  try {
    action()
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (!hasErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT')) throw error
  }
}
