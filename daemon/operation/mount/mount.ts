import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { MountRequest, MountResult } from '../../../src/api/mount.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import { cdiDevice } from '../../../src/mount/render/cdi.ts'
import { renderMounts } from '../../../src/mount/render/mount-form.ts'
import type { WorkOptions } from '../../door.ts'
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
  const attempt = async (): Promise<MountResult> => {
    const { plan, imageIsDefault } = await planTask(configuration, volume, request, options)
    const { task, form } = request
    const result = { plan, form, imageIsDefault, ...renderMounts(plan, form) }
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
  return attempt().catch(error => {
    if (error instanceof EnvdError && error.code === 'ENVIRONMENT_NOT_READY') return attempt()
    throw error
  })
}
