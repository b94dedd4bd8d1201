import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { freeSpace } from '../../../cache/probe/free-space.ts'
import { leasesFolder } from '../../../cache/volume/layout.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { Check } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import { checked, ok, problem, problemOf, warning } from './check.ts'

export interface FoundVolume {
  /** Null: there is none, or none that can be used. */
  readonly volume: Volume | null
  readonly check: Check
}

/** Opens the volume that is there, and makes none. */
export function findVolume({ volume: root, volumeIsDefault }: Configuration): FoundVolume {
  try {
    const volume = openVolume(root, { create: false })
    return { volume, check: ok('volume', `${root}, layout ${volume.layout}, id ${volume.id}`) }
  } catch (error) {
    if (!(error instanceof EnvdError) || error.code !== 'VOLUME_NOT_FOUND')
      return { volume: null, check: problemOf('volume', error) }
    const missing = !volumeIsDefault && !existsSync(dirname(root))
    const what = `there is none at ${root} yet`
    const check = missing
      ? problem(
          'volume',
          `${what}, and ${dirname(root)} is not there`,
          'Make the parent folder, or set ENVD_VOLUME.',
        )
      : ok('volume', `${what}; \`envd prepare\` makes it`)
    return { volume: null, check }
  }
}

/** Whose the volume is, and whether any user can claim what lies on it. */
export async function checkUsers(volume: Volume): Promise<Check[]> {
  const owner = await checked('owner', () => {
    if (volume.owned) return ok('owner', 'this user, who builds and removes')
    try {
      requireOwner(volume)
    } catch (error) {
      const { message, hint } = error as EnvdError
      return warning('owner', `${message}: it gets what is ready`, hint)
    }
    return ok('owner', `uid ${volume.owner}`)
  })
  const leases = await checked('leases', () => {
    const folder = leasesFolder(volume)
    const mode = statSync(folder).mode & 0o7777
    if (mode === 0o1777) return ok('leases', 'any user can take one')
    const what = `${folder} has mode ${mode.toString(8)}, not 1777`
    return problem(
      'leases',
      `${what}: other users can't claim what they use, or can remove the claims of others`,
      `chmod 1777 ${folder}`,
    )
  })
  return [owner, leases]
}

const giga = 1e9
/** Less is soon used up: one environment of a large task takes several GB. */
const fewBytes = (total: number) => Math.max(giga, Math.min(total / 20, 20 * giga))
/** Less than a small environment takes. */
const noBytes = 50e6
/** An environment of a large task has 8,000 folders and brings up to 70,000 files. */
const fewInodes = 100_000
const noInodes = 1_000

/** Of the file system that the volume lies on, or will. */
export async function checkSpace(root: string): Promise<Check[]> {
  const room = {
    hint: 'Remove what is not used: `envd report storage`, `envd rm`; or enlarge the file system.',
  }
  const space = await checked('space', () => {
    const { free, total } = freeSpace(root).bytes
    const what = `${gigabytes(free)} free of ${gigabytes(total)}`
    if (free < noBytes) return problem('space', `${what}: nothing more can be built`, room.hint)
    return free < fewBytes(total) ? warning('space', what, room.hint) : ok('space', what)
  })
  const inodes = await checked('inodes', () => {
    const { inodes } = freeSpace(root)
    if (inodes === null) return ok('inodes', 'made as they are needed')
    const what = `${inodes.free} free of ${inodes.total}`
    if (inodes.free < noInodes)
      return problem(
        'inodes',
        `${what}: nothing more can be built`,
        `${room.hint} On ext4 their number is fixed when it is made (mkfs.ext4 -N).`,
      )
    return inodes.free < fewInodes ? warning('inodes', what, room.hint) : ok('inodes', what)
  })
  return [space, inodes]
}

function gigabytes(bytes: number): string {
  return `${(bytes / giga).toFixed(bytes < 10 * giga ? 2 : 0)} GB`
}
