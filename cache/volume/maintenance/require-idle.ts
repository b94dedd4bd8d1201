import { join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { namesIn } from '../../disk/names-in.ts'
import { describeHolder } from '../../lease/holder/describe-holder.ts'
import { readLeases } from '../../lease/live-leases.ts'
import { isLocked } from '../../lock/ofd-lock.ts'
import { locksFolder } from '../layout.ts'
import type { Volume } from '../open-volume.ts'

/** VOLUME_BUSY while somebody builds or uses an environment; `except` names lock files of the caller. */
export function requireIdle(volume: Volume, except: readonly string[] = []): void {
  const { live, damaged } = readLeases(volume)
  const lease = live[0]
  if (lease !== undefined) {
    throw busy(volume, describeHolder(lease), live.length)
  }
  const unsure = damaged.find(({ name, fresh }) => fresh && name.endsWith('.json'))
  if (unsure !== undefined)
    throw busy(volume, `leases/${unsure.name}, written a moment ago, may be a lease`, 0)
  const folder = locksFolder(volume)
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    if (!name.endsWith('.lock') || except.includes(path)) continue
    if (isLocked(path)) throw busy(volume, `a process holds locks/${name}`, 0)
  }
}

function busy(volume: Volume, why: string, leases: number): EnvdError {
  return new EnvdError('VOLUME_BUSY', `The volume ${volume.root} is in use: ${why}`, {
    details: { path: volume.root, leases },
  })
}
