import { readReceipt } from '../../../cache/environment/receipt.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { EnvdError } from '../../../src/error.ts'
import type { MountInput } from '../../../src/mount/plan-mounts.ts'
import type { PreparedInImage } from '../../prepare/prepare-in-image.ts'
import type { PrepareOptions } from '../../prepare/prepare-placed.ts'

interface Planned extends Pick<PreparedInImage, 'prepared' | 'task' | 'target'> {
  /** Name of the base image. */
  readonly image: string
  /** `tree/` of the interpreter that was taken in. */
  readonly python: string | null
}

/**
 * The project as a plan names it. `checkout` is a clean copy of it, which an editable one is laid out from. Errors:
 * PROJECT_NEEDED, PROJECT_UNKNOWN, those of ensureLayer.
 */
export async function projectOfPlan(
  configuration: Configuration,
  volume: Volume,
  planned: Planned,
  checkout: string | null,
  { signal, report }: Pick<PrepareOptions, 'signal' | 'report'>,
): Promise<Pick<MountInput, 'project' | 'layers'>> {
  const { prepared, task, python } = planned
  const { project } = task
  const details = { task: prepared.task }
  if (project === null) {
    if (checkout === null) return { project, layers: [] }
    throw new EnvdError('PROJECT_UNKNOWN', `task.toml of ${prepared.task} has no [project]`, { details })
  }
  if (project.import === 'path') return { project: { ...project, layer: null }, layers: [] }
  if (checkout === null) {
    const message = `the project of ${prepared.task} is installed editable from its checkout`
    throw new EnvdError('PROJECT_NEEDED', message, { details })
  }
  const { ensureLayer } = await import('../../project/layer/ensure-layer.ts')
  const key = prepared.key as Key
  const layer = await ensureLayer({
    ...{ volume, environment: process.env, signal, report, task: prepared.task, project, checkout, python },
    key,
    tree: prepared.path,
    target: planned.target,
    packages: readReceipt(volume, key)?.packages ?? [],
    variables: task.build.environment,
    async image() {
      const { ensureImage } = await import('../../image/ensure-image.ts')
      return (await ensureImage(configuration, volume, planned.image, { signal, report })).record
    },
  })
  return { project: { ...project, layer: layer.key }, layers: [layer.tree] }
}
