import { EnvdError } from '../../src/error.ts'
import { writeDurable } from '../disk/durable.ts'
import type { Volume } from './open-volume.ts'

const passed: readonly string[] = ['VOLUME_READ_ONLY', 'DISK_FULL']

/**
 * Keeps a fact that can be made again, or a task's last key. Only for the volume's owner, and not on a
 * volume that is mounted read-only or full: everything works without.
 */
export function remember(volume: Volume, path: string, text: string): void {
  if (!volume.owned) return
  try {
    writeDurable(path, text, { mode: 0o644 })
  } catch (error) {
    if (!(error instanceof EnvdError) || !passed.includes(error.code)) throw error
  }
}
