import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { HookStatus } from '../../../src/api/hook.ts'
import { hookStatus } from '../../runtime/hook/status.ts'
import { reap } from '../../runtime/reap.ts'

export { installHook, uninstallHook } from '../../runtime/hook/install.ts'

/** What there is once what crashes left is gone. */
export function status(volume: Volume | null, folder?: string): HookStatus {
  if (volume !== null) reap(volume)
  return hookStatus(volume, folder)
}
