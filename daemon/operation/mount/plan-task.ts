import { pythonTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { MountRequest } from '../../../src/api/mount.ts'
import { mountedArtifacts } from '../../../src/artifact/mounted-artifacts.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { driverNeed } from '../../../src/gpu/driver-need.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { planMounts } from '../../../src/mount/plan-mounts.ts'
import type { Project } from '../../../src/project/project.ts'
import type { WorkOptions } from '../../door.ts'
import { cudaOfEnvironment } from '../../gpu/cuda-of-environment.ts'
import { requireDriver } from '../../gpu/require-driver.ts'
import { prepareInImage } from '../../prepare/prepare-in-image.ts'
import type { PrepareOptions } from '../../prepare/prepare-placed.ts'
import { signalOf } from '../../signal-of.ts'
import { imageOfPlan } from './image-of-plan.ts'
import { projectOfPlan } from './project-of-plan.ts'

export interface PlanRequest extends Pick<MountRequest, 'task' | 'form'> {
  /** A clean copy of the task's checkout on this host; null: none was named. */
  readonly checkout: string | null
}

export interface PlannedTask {
  readonly plan: MountPlan
  readonly imageIsDefault: boolean
  readonly project: Project | null
  /** Key of what is laid over the environment for it; null: nothing. */
  readonly layer: string | null
}

/** Prepares the task for its image where it isn't ready, and plans what a container of it gets. */
export async function planTask(
  configuration: Configuration,
  volume: Volume,
  { task, form, checkout }: PlanRequest,
  options: WorkOptions,
): Promise<PlannedTask> {
  const work: PrepareOptions = {
    dryRun: false,
    signal: signalOf(options),
    report: progress => options.onEvent?.({ task, ...progress }),
  }
  const ready = await prepareInImage(configuration, volume, task, work)
  const { prepared, image, imageIsDefault } = ready
  const key = prepared.key as Key
  const driver = driverNeed(cudaOfEnvironment(volume, key), image)
  requireDriver(driver)
  const python = ready.python && {
    digest: ready.python.digest,
    tree: pythonTree(volume, ready.python.digest),
  }
  const inImage = { ...ready, image: image.name, python: python?.tree ?? null }
  const ofProject = await projectOfPlan(configuration, volume, inImage, checkout, work)
  const plan = planMounts({
    ...{ task, key, driver, python },
    tree: prepared.path,
    image: await imageOfPlan(configuration, volume, image, form, work),
    artifacts: mountedArtifacts(prepared.artifacts ?? []),
    ...ofProject,
    policy: { scratchBytes: null },
  })
  const layer = ofProject.project?.layer ?? null
  return { plan, imageIsDefault, project: ready.task.project, layer }
}
