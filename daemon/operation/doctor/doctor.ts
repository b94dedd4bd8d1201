import type { DoctorReport } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { notChecked } from './check.ts'
import { checkContainers } from './containers.ts'
import { checkFileSystem, checkMount, checkOneMount } from './file-system.ts'
import { checkGpus } from './gpu.ts'
import { checkLimits } from './limits.ts'
import { checkPrograms } from './programs.ts'
import { checkPython } from './python.ts'
import { checkSpace, checkUsers, findVolume } from './volume.ts'

/**
 * What of this machine serves envd, and what doesn't. Makes no volume, leaves nothing on one (what it tries, it tries in a
 * staging folder of its own, as the owner alone), asks nothing of the network, and takes a second or two.
 */
export async function doctor(configuration: Configuration): Promise<DoctorReport> {
  const { volume, check } = findVolume(configuration)
  const root = volume?.root ?? configuration.volume
  // First what waits for other programs; it waits beside the rest.
  const containers = checkContainers(volume)
  const programs = checkPrograms()
  const found = await Promise.all([
    checkMount(root, volume),
    checkSpace(root),
    volume === null
      ? notChecked('file system', 'there is no volume to try it on')
      : Promise.all([checkUsers(volume), checkOneMount(volume), checkFileSystem(volume)]),
    checkLimits(),
    checkPython(configuration, volume),
    programs,
    containers,
    checkGpus(configuration, volume),
  ])
  const checks = [check, ...found.flat(2)]
  return { volume: root, checks }
}
