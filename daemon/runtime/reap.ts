import { reapLeases } from '../../cache/lease/reap-leases.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { readSpec, removeUnclaimedSpec, tasksWithSpec } from './cdi/spec-files.ts'

/**
 * Frees what containers left that had no end of their own: an engine's monitor that is killed runs no hook. Leases
 * whose container is gone, and devices nobody claims. What lives stays, and so does what is another host's, user's
 * or volume's.
 */
export function reap(volume: Volume): void {
  const claimed = new Set(reapLeases(volume).map(({ task }) => task))
  for (const task of tasksWithSpec()) {
    if (claimed.has(task)) continue
    const spec = readSpec(task)
    if (spec?.volume === volume.root && spec.takesLeases) removeUnclaimedSpec(volume, task)
  }
}
