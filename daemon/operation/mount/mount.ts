import { join } from 'node:path'
import { pythonFolder, TREE } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { MountRequest, MountResult } from '../../../src/api/mount.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { planMounts } from '../../../src/mount/plan-mounts.ts'
import { renderMounts } from '../../../src/mount/render/mount-form.ts'
import type { WorkOptions } from '../../door.ts'
import { prepareInImage } from '../../prepare/prepare-in-image.ts'
import { imageOfPlan } from './image-of-plan.ts'

/** `envd mount`: prepares the task for its image where it isn't ready, plans the mounts and renders them. */
export async function mount(
  configuration: Configuration,
  volume: Volume,
  { task, form }: MountRequest,
  options: WorkOptions,
): Promise<MountResult> {
  const signal = options.signal ?? new AbortController().signal
  const { prepared, image, imageIsDefault, python } = await prepareInImage(configuration, volume, task, {
    dryRun: false,
    signal,
    report: progress => options.onEvent?.({ task, ...progress }),
  })
  const plan = planMounts({
    task,
    key: prepared.key as Key,
    tree: prepared.path,
    image: imageOfPlan(volume, image),
    python: python && { digest: python.digest, tree: join(pythonFolder(volume, python.digest), TREE) },
    artifacts: [],
    layers: [],
    policy: { scratchBytes: null },
  })
  return { plan, form, imageIsDefault, ...renderMounts(plan, form) }
}
