import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { hasErrno } from '../../../cache/disk/machine-error.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import { volumeSources } from '../../../src/podman/volume-sources.ts'

/**
 * Refuses to mount a folder that the volume lies in, or one of it: root in the container would write to the files of every
 * environment, or at the least see other tasks. Errors: CONTAINER_REFUSED.
 */
export function refuseStore(volume: Volume, engineArguments: readonly string[]): void {
  const store = real(volume.root)
  for (const source of volumeSources(engineArguments)) {
    const folder = real(resolve(source))
    if (!isWithin(store, folder) && !isWithin(folder, store)) continue
    throw new EnvdError(
      'CONTAINER_REFUSED',
      `${source} would show the volume ${volume.root} to the container`,
      {
        hint: 'Mount a folder beside it; what the task needs of the volume is mounted already.',
        details: { source, volume: volume.root },
      },
    )
  }
}

function isWithin(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

/** Of what is not there, its path: podman says so. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return path
    throw error
  }
}
