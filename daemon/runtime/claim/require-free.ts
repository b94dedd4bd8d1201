import { liveLeases } from '../../../cache/lease/live-leases.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'

/**
 * A host knows a task under one name: CDI_DEVICE_TAKEN where `name` (its device, its annotation) is of the volume at
 * `root`, null where it is of none, and that is another one, which containers use.
 */
export function requireFree(volume: Volume, task: string, name: string, root: string | null): void {
  if (root === null || root === volume.root) return
  const claim = leasesAt(root).find(lease => lease.task === task)
  if (claim === undefined) return
  const { container = null, hostName, expires } = claim
  const who = container === null ? `a mount until ${expires}` : `container ${container} on ${hostName}`
  throw new EnvdError('CDI_DEVICE_TAKEN', `${name} is of the volume ${root}, held by ${who}`, {
    details: { task, volume: root, container },
  })
}

function leasesAt(root: string) {
  try {
    return liveLeases(openVolume(root, { create: false }))
  } catch {
    return []
  }
}
