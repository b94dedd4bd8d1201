import type { MountPlan } from '../mount-plan.ts'
import { renderApptainer } from './apptainer.ts'
import { cdiDevice } from './cdi.ts'
import { renderDocker } from './docker.ts'
import { renderKubernetes } from './kubernetes.ts'
import { renderOci } from './oci.ts'
import { renderPodman } from './podman.ts'
import { renderPyxis } from './pyxis.ts'
import { commandLine, type RenderedMounts } from './rendered.ts'

const renderers = {
  podman: renderPodman,
  docker: renderDocker,
  cdi: renderCdiUse,
  kubernetes: renderKubernetes,
  pyxis: renderPyxis,
  apptainer: renderApptainer,
  oci: renderOci,
} as const

/** What `--for` takes. */
export type MountForm = keyof typeof renderers

export const mountForms = Object.keys(renderers) as readonly MountForm[]

/** The command that is printed names the image in the volume's layout. */
export function takesLocalImage(form: MountForm): boolean {
  return form === 'podman' || form === 'apptainer'
}

/** Errors: MOUNT_NOT_EXPRESSIBLE. */
export function renderMounts(plan: MountPlan, form: MountForm): RenderedMounts {
  return renderers[form](plan)
}

/** The spec itself (cdi.ts) is a file on the host; any engine that reads these is told the device. */
function renderCdiUse({ task, image }: MountPlan): RenderedMounts {
  const fitting = image === null ? 'an image that fits' : `base image ${image.name}`
  return commandLine(
    [['--device', cdiDevice(task)]],
    [`add it to the command that starts a container of ${fitting}`],
  )
}
