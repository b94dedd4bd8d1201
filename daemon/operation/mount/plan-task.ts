import { readReceipt } from '../../../cache/environment/receipt.ts'
import { pythonTree } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { MountRequest } from '../../../src/api/mount.ts'
import { mountedArtifacts } from '../../../src/artifact/mounted-artifacts.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { driverNeed } from '../../../src/gpu/driver-need.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { planMounts } from '../../../src/mount/plan-mounts.ts'
import type { WorkOptions } from '../../door.ts'
import { requireDriver } from '../../gpu/require-driver.ts'
import { prepareInImage } from '../../prepare/prepare-in-image.ts'
import type { PrepareOptions } from '../../prepare/prepare-placed.ts'
import { imageOfPlan } from './image-of-plan.ts'

export interface PlannedTask {
  readonly plan: MountPlan
  readonly imageIsDefault: boolean
}

/** Prepares the task for its image where it isn't ready, and plans what a container of it gets. */
export async function planTask(
  configuration: Configuration,
  volume: Volume,
  { task, form }: MountRequest,
  options: WorkOptions,
): Promise<PlannedTask> {
  const work: PrepareOptions = {
    dryRun: false,
    signal: options.signal ?? new AbortController().signal,
    report: progress => options.onEvent?.({ task, ...progress }),
  }
  const { prepared, image, imageIsDefault, python } = await prepareInImage(configuration, volume, task, work)
  const key = prepared.key as Key
  const driver = driverNeed(readReceipt(volume, key)?.packages ?? [], image)
  requireDriver(driver)
  const plan = planMounts({
    ...{ task, key, driver },
    tree: prepared.path,
    image: await imageOfPlan(configuration, volume, image, form, work),
    python: python && { digest: python.digest, tree: pythonTree(volume, python.digest) },
    artifacts: mountedArtifacts(prepared.artifacts ?? []),
    layers: [],
    policy: { scratchBytes: null },
  })
  return { plan, imageIsDefault }
}
