import { uvCacheGateFile, uvCacheLockFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { type WaitOptions, waitForLock } from './ofd-lock.ts'

/**
 * Runs `work` while nothing is taken from uv's cache or from the blobs: from the start of an installation until what was
 * installed has been compared with the cache, and from the first look for a blob until the packages that rely on it are
 * written down. Any number of them run side by side.
 */
export function withUvCache<T>(volume: Volume, work: () => T | Promise<T>, options: WaitOptions): Promise<T> {
  return holding(volume, work, { ...options, shared: true })
}

/** Runs `work`, which takes something from uv's cache or the blobs, while no build works with them. */
export function withUvCacheAlone<T>(
  volume: Volume,
  work: () => T | Promise<T>,
  options: WaitOptions,
): Promise<T> {
  return holding(volume, work, options)
}

/** Who waits keeps the gate, so that who comes later can't go in before it and keep it waiting for ever. */
async function holding<T>(volume: Volume, work: () => T | Promise<T>, options: WaitOptions): Promise<T> {
  const { shared: _, ...waiting } = options
  const gate = await waitForLock(uvCacheGateFile(volume), waiting)
  const lock = await waitForLock(uvCacheLockFile(volume), options).finally(gate.release)
  try {
    return await work()
  } finally {
    lock.release()
  }
}
