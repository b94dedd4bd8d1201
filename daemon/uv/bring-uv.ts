import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders } from '../../cache/disk/make-folder.ts'
import { removeFolder } from '../../cache/disk/remove-folder.ts'
import { takeLease } from '../../cache/lease/take-lease.ts'
import { publishFolder, syncFolder } from '../../cache/volume/durable.ts'
import { lockFile, stagingFolder, uvCacheFolder, uvToolFolder } from '../../cache/volume/layout.ts'
import { onMachine } from '../../cache/volume/machine-error.ts'
import { waitForLock } from '../../cache/volume/ofd-lock.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import { fetchUv } from './fetch/fetch-uv.ts'
import { uvOnPath } from './fetch/uv-on-path.ts'
import { PINNED_UV, type Uv } from './pinned-uv.ts'

export interface BringRequest {
  /** Interpreters whose pip may fetch the wheel, best first; `python3` on PATH is tried after them. */
  readonly interpreters: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly onMessage: (message: string) => void
}

/**
 * The pinned uv: the volume's own, an equal one on PATH, or fetched now into `tools/uv/<version>/`, once for
 * all who wait. Errors: UV_UNAVAILABLE, UV_DIGEST, VOLUME_NOT_OWNER, DISK_FULL.
 */
export async function bringUv(volume: Volume, request: BringRequest): Promise<Uv> {
  const folder = uvToolFolder(volume, PINNED_UV.version)
  const own = join(folder, 'uv')
  if (existsSync(own)) return uvAt(volume, own)
  const found = await uvOnPath(PINNED_UV.version, request.environment)
  if (found !== undefined) return uvAt(volume, found)
  requireOwner(volume)
  const lock = await waitForLock(lockFile(volume, 'uv'), { signal: request.signal })
  try {
    if (!existsSync(own)) await fetchInto(volume, folder, request)
    return uvAt(volume, own)
  } finally {
    lock.release()
  }
}

async function fetchInto(volume: Volume, folder: string, request: BringRequest): Promise<void> {
  const staging = randomUUID()
  const lease = takeLease(volume, { kind: 'build', keys: [], staging })
  const work = stagingFolder(volume, staging)
  try {
    const ready = join(work, 'uv')
    onMachine(work, () => makeFolders(ready))
    await fetchUv(work, join(ready, 'uv'), request)
    onMachine(folder, () => makeFolders(join(folder, '..')))
    onMachine(ready, () => syncFolder(ready))
    publishFolder(ready, folder)
  } finally {
    await removeFolder(work)
    lease.release()
  }
}

function uvAt(volume: Volume, path: string): Uv {
  const { version } = PINNED_UV
  return { path, version, cacheFolder: uvCacheFolder(volume, version) }
}
