import { randomUUID } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { publishFolder, syncFolder } from '../disk/durable.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { describeHolder } from '../lease/holder/describe-holder.ts'
import { readLeases } from '../lease/live-leases.ts'
import { type HeldLock, waitForLock } from '../lock/ofd-lock.ts'
import { faultPoint } from '../volume/fault-point.ts'
import {
  buildLockFile,
  environmentFolder,
  environmentTree,
  SUMMARY,
  SUMMARY_REMOVING,
  stagingFolder,
} from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'

/** Who only asks whether somebody builds holds the lock for a moment (`isLocked`, `envd ls`). */
const glanceMs = 200

export interface Removed {
  readonly key: Key
  /** Where its `tree/` was. */
  readonly path: string
  /** Disk blocks that became free: files that nothing else links to. */
  readonly bytesFreed: number
}

/**
 * Removes an environment that nobody uses. A user takes a lease first and looks for the summary then; this hides
 * the summary first and reads the leases then. So of two that meet, either the user finds nothing, or this
 * sees the lease and brings the summary back. Only then the folder is renamed into staging, where it is
 * rubbish that any sweep removes. Cut off before the rename, `undoRemoval` makes the environment whole again.
 *
 * Errors: ENVIRONMENT_NOT_FOUND, ENVIRONMENT_LEASED, VOLUME_NOT_OWNER.
 */
export async function removeEnvironment(volume: Volume, key: Key): Promise<Removed> {
  requireOwner(volume)
  const folder = environmentFolder(volume, key)
  const lock = await lockUnlessHeld(buildLockFile(volume, key))
  if (lock === null) throw leased(key, 'a process builds or removes it', {})
  try {
    if (!existsSync(folder)) throw notFound(key, folder)
    undoRemoval(volume, key)
    requireUnleased(volume, key)
    faultPoint('remove:before-hide')
    renameIfThere(join(folder, SUMMARY), join(folder, SUMMARY_REMOVING))
    faultPoint('remove:after-hide')
    try {
      requireUnleased(volume, key)
    } catch (error) {
      undoRemoval(volume, key)
      throw error
    }
    const aside = stagingFolder(volume, randomUUID())
    publishFolder(folder, aside)
    faultPoint('remove:after-rename')
    const bytesFreed = await removeFolder(aside)
    return { key, path: environmentTree(volume, key), bytesFreed }
  } finally {
    lock.releaseAndRemove()
  }
}

/** Makes an environment whole whose removal was cut off or given up. Only with its build lock. */
export function undoRemoval(volume: Volume, key: Key): void {
  const folder = environmentFolder(volume, key)
  if (!renameIfThere(join(folder, SUMMARY_REMOVING), join(folder, SUMMARY))) return
  try {
    syncFolder(folder)
  } catch (error) {
    throw machineError(error, folder)
  }
}

async function lockUnlessHeld(path: string): Promise<HeldLock | null> {
  const signal = AbortSignal.timeout(glanceMs)
  try {
    return await waitForLock(path, { signal, pollMs: 10 })
  } catch (error) {
    if (error === signal.reason) return null
    throw error
  }
}

/** Errors: ENVIRONMENT_LEASED. */
export function requireUnleased(volume: Volume, key: Key): void {
  const { live, damaged } = readLeases(volume)
  const lease = live.find(({ keys }) => keys.includes(key))
  if (lease !== undefined) {
    const { pid, hostName: host, since, kind, task, container } = lease
    throw leased(key, describeHolder(lease), { pid, host, since, kind, task, container })
  }
  const unsure = damaged.find(({ name, fresh }) => fresh && name.endsWith('.json'))
  if (unsure !== undefined)
    throw leased(key, `leases/${unsure.name}, written a moment ago, may be a lease for it`, {})
}

function renameIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return false
    throw machineError(error, from)
  }
}

function leased(key: Key, why: string, details: object): EnvdError {
  return new EnvdError('ENVIRONMENT_LEASED', `The environment ${key} is in use: ${why}`, {
    details: { key, ...details },
  })
}

function notFound(key: Key, path: string): EnvdError {
  return new EnvdError('ENVIRONMENT_NOT_FOUND', `There is no environment ${key}`, { details: { key, path } })
}
