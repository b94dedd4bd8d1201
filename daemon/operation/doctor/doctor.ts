import type { Check, DoctorReport } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { notChecked } from './check.ts'
import { checkContainers } from './containers.ts'
import { checkFileSystem, checkMount, checkOneMount } from './file-system.ts'
import { checkGpus } from './gpu.ts'
import { checkLimits } from './limits.ts'
import { checkPrograms } from './programs.ts'
import { checkImportedPythons, checkInterpreters, checkUv } from './python.ts'
import { checkSpace, checkUsers, findVolume } from './volume.ts'

/**
 * What of this machine serves envd, and what doesn't. Makes no volume, leaves nothing on one (what it tries, it tries in a
 * staging folder of its own, as the owner alone), asks nothing of the network, and takes a second or two.
 */
export async function doctor(configuration: Configuration): Promise<DoctorReport> {
  const { volume, check } = findVolume(configuration)
  const root = volume?.root ?? configuration.volume
  const ofVolume: Check[] =
    volume === null
      ? [notChecked('file system', 'there is no volume to try it on')]
      : [...(await checkUsers(volume)), await checkOneMount(volume), ...(await checkFileSystem(volume))]
  const ofPython = [
    await checkUv(volume),
    await checkInterpreters(configuration, volume),
    ...(volume === null ? [] : [await checkImportedPythons(volume)]),
  ]
  const checks = [
    ...[check, await checkMount(root, volume), ...(await checkSpace(root)), ...ofVolume],
    ...(await checkLimits()),
    ...ofPython,
    ...(await checkPrograms()),
    ...(await checkContainers(volume)),
    ...(await checkGpus(configuration, volume)),
  ]
  return { volume: root, checks }
}
