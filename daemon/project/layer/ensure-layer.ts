import { findLayer } from '../../../cache/layer/find-layer.ts'
import { waitForLock } from '../../../cache/lock/ofd-lock.ts'
import { layerLockFile } from '../../../cache/volume/layout.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { Key } from '../../../src/digest.ts'
import { layerKey } from '../../../src/project/layer-key.ts'
import type { LayerWork } from './layer-work.ts'
import { makeLayer } from './make-layer.ts'
import { readLayout } from './read-layout.ts'

/**
 * The layer of an editable project, made on first use of its layout: metadata, entry points and scripts, and a path that
 * leads to the checkout. Returns its key and `tree/`. Errors: PROJECT_BACKEND_MISSING, PROJECT_BUILD_FAILED,
 * PROJECT_BINARIES_MISSING, SANDBOX_FAILED, TOOL_MISSING, VOLUME_NOT_OWNER, those of an image and of uv.
 */
export async function ensureLayer(work: LayerWork): Promise<{ readonly key: Key; readonly tree: string }> {
  const { volume, project, checkout, variables, signal } = work
  const key = layerKey({ environment: work.key, project, variables, layout: readLayout(checkout) })
  const there = findLayer(volume, key)
  if (there !== null) return { key, tree: there }
  requireOwner(volume)
  const lock = await waitForLock(layerLockFile(volume, key), { signal })
  try {
    return { key, tree: findLayer(volume, key) ?? (await makeLayer(work, key)) }
  } finally {
    lock.release()
  }
}
