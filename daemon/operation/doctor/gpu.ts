import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Check } from '../../../src/api/doctor.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { EnvdError } from '../../../src/error.ts'
import { type DriverNeed, driverNeed } from '../../../src/gpu/driver-need.ts'
import { DEFAULT_IMAGE } from '../../../src/image/default-image.ts'
import { compareDotted } from '../../../src/version/compare-dotted.ts'
import { cudaOfEnvironment } from '../../gpu/cuda-of-environment.ts'
import { hostDriver } from '../../gpu/require-driver.ts'
import { readImage } from '../../image/read/read-image.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import { taskNames } from '../../prepare/task/task-names.ts'
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
    const { needs, unknown } = needsOfTasks(configuration, volume)
    const unmet = needs.filter(({ minimum }) => compareDotted(driver, minimum) < 0)
    const unseen = unknown === 0 ? '' : `; tasks not prepared yet, whose needs are not known: ${unknown}`
    if (unmet.length === 0)
      return ok(
        'GPU driver',
        `NVIDIA ${driver}; prepared tasks that need one and can have it: ${needs.length}${unseen}`,
      )
    const first = unmet
      .slice(0, shown)
      .map(({ task, minimum, because }) => `${task} needs ${minimum} for ${because}`)
    const more = unmet.length > shown ? [`so do ${unmet.length - shown} more`] : []
    return problem(
      'GPU driver',
      `NVIDIA ${driver} is too old: ${[...first, ...more].join('; ')}${unseen}`,
      'Update the driver, or lock packages for an older CUDA.',
    )
  })
}

/** Tasks in one line; more are only counted. */
const shown = 5

interface TaskNeed extends DriverNeed {
  readonly task: string
}

interface Needs {
  /** Sorted by task. */
  readonly needs: readonly TaskNeed[]
  /** Tasks that were never prepared. */
  readonly unknown: number
}

/** By what each task had when it was prepared last. */
function needsOfTasks(configuration: Configuration, volume: Volume | null): Needs {
  const tasks = new Set(taskNames(configuration.lockfiles))
  const records = (volume === null ? [] : allTaskRecords(volume)).filter(
    ({ task, lockfiles }) => lockfiles === configuration.lockfiles && tasks.has(task),
  )
  const needs = new Map<string, TaskNeed>()
  for (const { task, key } of records) {
    const levels = volume === null ? [] : cudaOfEnvironment(volume, key)
    const need = driverNeed(levels, imageOf(configuration, task))
    const other = needs.get(task)
    if (need !== null && (other === undefined || compareDotted(need.minimum, other.minimum) > 0))
      needs.set(task, { task, ...need })
  }
  const unknown = tasks.size - new Set(records.map(({ task }) => task)).size
  return { needs: [...needs.values()].sort((a, b) => (a.task < b.task ? -1 : 1)), unknown }
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
