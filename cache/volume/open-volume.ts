import { resolve } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { createVolume, requireCreatable } from './create-volume.ts'
import { readVersion, requireLayout, type VersionFile } from './version-file.ts'

export interface Volume {
  /** Absolute path. */
  readonly root: string
  /** UUID given at creation. */
  readonly id: string
  readonly layout: number
  /** Uid of the one user who writes. */
  readonly owner: number
  /** This process runs as the owner. */
  readonly owned: boolean
}

export interface OpenOptions {
  /** Make the volume where there is none. */
  readonly create: boolean
  /** Make missing parents too; for the default place only, where nobody could have mistyped them. */
  readonly makeParents?: boolean
  /** Also open one whose removal was cut off, for `removeVolume` to finish. */
  readonly evenRemoving?: boolean
}

/**
 * Opens the volume at `root`; a volume that exists costs one open, one fstat and one read.
 *
 * Errors: VOLUME_NOT_FOUND (and `create` is false), VOLUME_PARENT_MISSING, VOLUME_FOREIGN (not empty and no
 * VERSION), VOLUME_NEWER, VOLUME_OLDER, VOLUME_CORRUPT, VOLUME_BUSY (its removal has begun), VOLUME_READ_ONLY,
 * VOLUME_NO_HARD_LINKS, DISK_FULL, IO.
 */
export function openVolume(root: string, options: OpenOptions): Volume {
  const at = { root: resolve(root) }
  const version = readVersion(at) ?? makeVersion(at.root, options)
  requireLayout(at, version)
  if (version.removing && options.evenRemoving !== true) {
    throw new EnvdError('VOLUME_BUSY', `The volume ${at.root} is being removed`, {
      hint: 'Wait for the removal; if it was cut off, finish it with `envd volume remove --yes`.',
      details: { path: at.root },
    })
  }
  const { id, layout, owner } = version
  return { root: at.root, id, layout, owner, owned: process.geteuid!() === owner }
}

function makeVersion(root: string, options: OpenOptions): VersionFile {
  if (options.create) return createVolume(root, { makeParents: options.makeParents ?? false })
  requireCreatable({ root })
  throw new EnvdError('VOLUME_NOT_FOUND', `There is no volume at ${root}`, { details: { path: root } })
}
