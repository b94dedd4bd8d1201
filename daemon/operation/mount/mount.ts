import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { MountRequest, MountResult } from '../../../src/api/mount.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { cdiDevice } from '../../../src/mount/render/cdi.ts'
import { renderMounts } from '../../../src/mount/render/mount-form.ts'
import type { WorkOptions } from '../../door.ts'
import type { Checkout } from '../../project/checkout/open-checkout.ts'
import { signalOf } from '../../signal-of.ts'
import { againWhereRemoved } from './again-where-removed.ts'
import { planTask } from './plan-task.ts'

/**
 * `envd mount`: plans the mounts and renders them. For CDI it makes the device known, too, and claims what it mounts
 * until containers have started; what was removed between preparing and claiming is prepared again.
 */
export async function mount(
  configuration: Configuration,
  volume: Volume,
  request: MountRequest,
  options: WorkOptions,
): Promise<MountResult> {
  const signal = signalOf(options)
  const checkout = await checkoutOf(volume, request, signal)
  const attempt = async (): Promise<MountResult> => {
    const { task, form } = request
    const planned = { task, form, checkout: checkout?.folder ?? null }
    const { plan, imageIsDefault, project } = await planTask(configuration, volume, planned, options)
    const rendered = renderMounts(plan, form)
    const ofProject = project === null ? [] : [`mount the task's checkout at ${project.path} yourself`]
    const notes = [...rendered.notes, ...ofProject]
    const result = { plan, form, imageIsDefault, ...rendered, notes }
    if (form === 'cdi') {
      const { writeCdiSpec } = await import('../../runtime/cdi/write-spec.ts')
      const { path } = writeCdiSpec(volume, plan)
      return { ...result, cdi: { device: cdiDevice(task), path } }
    }
    if (form === 'oci') {
      const { publishTask } = await import('../../runtime/hook/publish-task.ts')
      return { ...result, notes: [...result.notes, ...publishTask(volume, plan)] }
    }
    return result
  }
  try {
    return await againWhereRemoved(attempt)
  } finally {
    await checkout?.release()
  }
}

async function checkoutOf(
  volume: Volume,
  { project }: MountRequest,
  signal: AbortSignal,
): Promise<Checkout | null> {
  if (project === undefined) return null
  const { openCheckout } = await import('../../project/checkout/open-checkout.ts')
  return openCheckout(volume, project, signal)
}
