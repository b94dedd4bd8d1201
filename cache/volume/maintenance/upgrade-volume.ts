import { resolve } from 'node:path'
import type { VolumeUpgrade } from '../../../src/api/operations.ts'
import { EnvdError } from '../../../src/error.ts'
import { writeDurable } from '../../disk/durable.ts'
import { tryLock } from '../../lock/ofd-lock.ts'
import { type At, LAYOUT_VERSION, lockFile, versionFile } from '../layout.ts'
import { openVolume, type Volume } from '../open-volume.ts'
import { requireOwner } from '../require-owner.ts'
import { formatVersion, readVersion } from '../version-file.ts'
import { requireIdle } from './require-idle.ts'

/** Turns layout `n` into layout `n + 1`. Runs again from its beginning when it was cut off. */
type UpgradeStep = (at: At) => void

/** By the layout they start from. Layout 1 is the first. */
const upgradeSteps: ReadonlyMap<number, UpgradeStep> = new Map()

/**
 * Brings the volume at `root` to this program's layout, step by step; VERSION is rewritten after each.
 * Errors: VOLUME_NOT_OWNER, VOLUME_BUSY, VOLUME_CORRUPT (no step leads on from its layout), those of `openVolume`.
 */
export function upgradeVolume(root: string, steps = upgradeSteps): VolumeUpgrade {
  const at = { root: resolve(root) }
  const version = readVersion(at)
  if (version === null || version.removing || version.layout >= LAYOUT_VERSION) {
    const volume = openVolume(at.root, { create: false })
    return { path: volume.root, from: volume.layout, to: volume.layout }
  }
  const { id, layout, owner } = version
  const volume: Volume = { ...at, id, layout, owner, owned: process.geteuid!() === owner }
  requireOwner(volume)
  const lock = tryLock(lockFile(at, 'upgrade'))
  if (lock === null) throw new EnvdError('VOLUME_BUSY', `Another process upgrades the volume ${at.root}`)
  try {
    requireIdle(volume, [lock.path])
    for (let from = layout; from < LAYOUT_VERSION; from++) {
      const step = steps.get(from)
      if (step === undefined)
        throw new EnvdError('VOLUME_CORRUPT', `No upgrade leads on from layout ${from} of ${at.root}`)
      step(at)
      writeDurable(versionFile(at), formatVersion({ layout: from + 1, id }), { mode: 0o644 })
    }
  } finally {
    lock.release()
  }
  return { path: at.root, from: layout, to: LAYOUT_VERSION }
}
