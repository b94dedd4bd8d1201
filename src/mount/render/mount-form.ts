import type { MountPlan } from '../mount-plan.ts'
import { renderApptainer } from './apptainer.ts'
import { cdiDevice } from './cdi.ts'
import { renderDocker } from './docker.ts'
import { localImage } from './image-argument.ts'
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

/** Errors: MOUNT_NOT_EXPRESSIBLE. */
export function renderMounts(plan: MountPlan, form: MountForm): RenderedMounts {
  return renderers[form](plan)
}

/** The spec itself (cdi.ts) is a file on the host; an engine is told the device. */
function renderCdiUse(plan: MountPlan): RenderedMounts {
  const { words: image, notes } = localImage(plan, 'podman')
  return commandLine([['podman', 'run', '--rm'], ['--device', cdiDevice(plan.task)], image], notes)
}
