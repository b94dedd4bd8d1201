import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publishFolder, syncFileSystem } from '../../cache/disk/durable.ts'
import { onMachine } from '../../cache/disk/machine-error.ts'
import { makeFolders } from '../../cache/disk/make-folder.ts'
import { withStagingFolder } from '../../cache/lease/with-staging.ts'
import { waitForLock } from '../../cache/lock/ofd-lock.ts'
import { lockFile, uvCacheFolder, uvToolFolder } from '../../cache/volume/layout.ts'
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
  await withStagingFolder(volume, [], async ({ folder: work }) => {
    const ready = join(work, 'uv')
    onMachine(work, () => makeFolders(ready))
    await fetchUv(work, join(ready, 'uv'), request)
    onMachine(folder, () => makeFolders(dirname(folder)))
    await syncFileSystem(ready)
    publishFolder(ready, folder)
  })
}

function uvAt(volume: Volume, path: string): Uv {
  const { version } = PINNED_UV
  return { path, version, cacheFolder: uvCacheFolder(volume, version) }
}
