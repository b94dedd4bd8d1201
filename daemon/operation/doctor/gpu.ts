import { readReceipt } from '../../../cache/environment/receipt.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Check } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { EnvdError } from '../../../src/error.ts'
import { type DriverNeed, driverNeed } from '../../../src/gpu/driver-need.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { compareDotted } from '../../../src/version/compare-dotted.ts'
import { hostDriver } from '../../gpu/require-driver.ts'
import { readImage } from '../../image/read-image.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import { allTaskRecords } from '../../prepare/task/task-record.ts'
import { requireGpus } from '../../runtime/podman/require-gpus.ts'
import { checked, ok, problem, warning } from './check.ts'

/** Driver, and the devices that engines know. */
export async function checkGpus(configuration: Configuration, volume: Volume | null): Promise<Check[]> {
  const driver = hostDriver()
  const ofDriver = await checkDriver(configuration, volume, driver)
  return driver === null ? [ofDriver] : [ofDriver, checkDevices()]
}

function checkDevices(): Check {
  try {
    requireGpus()
    return ok('GPU devices', 'known to engines by CDI')
  } catch (error) {
    const { message, hint } = error as EnvdError
    return warning('GPU devices', message, hint)
  }
}

/** This host's NVIDIA driver against what the prepared tasks of the lockfiles folder need. */
function checkDriver(
  configuration: Configuration,
  volume: Volume | null,
  driver: string | null,
): Promise<Check> {
  return checked('GPU driver', () => {
    if (driver === null)
      return ok('GPU driver', 'none on this host; it prepares for others, or runs without GPUs')
    const needs = volume === null ? [] : needsOfTasks(configuration, volume)
    const unmet = needs.filter(({ minimum }) => compareDotted(driver, minimum) < 0)
    if (unmet.length === 0)
      return ok(
        'GPU driver',
        `NVIDIA ${driver}, new enough for the ${needs.length} prepared tasks that need one`,
      )
    const what = unmet
      .map(({ task, minimum, because }) => `${task} needs ${minimum} for ${because}`)
      .join('; ')
    return problem(
      'GPU driver',
      `NVIDIA ${driver} is too old: ${what}`,
      'Update the driver, or lock packages for an older CUDA.',
    )
  })
}

interface TaskNeed extends DriverNeed {
  readonly task: string
}

function needsOfTasks(configuration: Configuration, volume: Volume): TaskNeed[] {
  const records = allTaskRecords(volume).filter(({ lockfiles }) => lockfiles === configuration.lockfiles)
  const needs = new Map<string, TaskNeed>()
  for (const { task, key } of records) {
    const packages = readReceipt(volume, key)?.packages ?? []
    const need = driverNeed(packages, imageOf(configuration, task))
    if (need !== null) needs.set(task, { task, ...need })
  }
  return [...needs.values()].sort((a, b) => (a.task < b.task ? -1 : 1))
}

/** One whose image can't be read is judged by its packages alone. */
function imageOf(configuration: Configuration, task: string): Parameters<typeof driverNeed>[1] {
  try {
    const { baseImage } = readTask(configuration.lockfiles, task).task
    return readImage(configuration, baseImage ?? DEFAULT_IMAGE)
  } catch {
    return { name: '', cuda: null, minimumDriver: null }
  }
}
