import type { MountPlan, PlannedMount } from '../mount-plan.ts'
import { bindOptions, overlayOptions, scratchOptions } from './oci-options.ts'
import { assignments, notExpressible } from './rendered.ts'

/** Vendor and class of envd's devices; a task's device is `envd.dev/task=<task>`. */
export const CDI_KIND = 'envd.dev/task'

/** Container Device Interface, SPEC.md, "CDI JSON Specification": what of it envd writes. */
export interface CdiSpec {
  readonly cdiVersion: '0.3.0' | '0.4.0' | '0.5.0'
  readonly kind: typeof CDI_KIND
  readonly devices: readonly [{ readonly name: string; readonly containerEdits: CdiEdits }]
}

export interface CdiEdits {
  readonly env: readonly string[]
  readonly mounts: readonly CdiMount[]
  readonly hooks?: readonly CdiHook[]
}

export interface CdiMount {
  readonly hostPath: string
  readonly containerPath: string
  readonly type?: string
  readonly options: readonly string[]
}

export interface CdiHook {
  readonly hookName: 'createRuntime' | 'createContainer' | 'startContainer' | 'poststart' | 'poststop'
  readonly path: string
  readonly args?: readonly string[]
  readonly env?: readonly string[]
  /** In seconds, above 0. */
  readonly timeout?: number
}

/** Errors: MOUNT_NOT_EXPRESSIBLE for a task whose name is no name of a device, or a path an overlay can't take. */
export function cdiSpec(plan: MountPlan, hooks: readonly CdiHook[] = []): CdiSpec {
  const { task } = plan
  // SPEC.md, "CDI Devices": it begins and ends with a letter or digit.
  if (!/[a-z0-9]$/.test(task))
    throw notExpressible('CDI', task, 'a name of a device ends with a letter or digit')
  const containerEdits = {
    env: assignments(plan),
    mounts: [...plan.mounts.map(cdiMount), ...plan.scratch.map(scratchMount)],
    ...(hooks.length > 0 && { hooks }),
  }
  return {
    cdiVersion: versionFor(task, containerEdits),
    kind: CDI_KIND,
    devices: [{ name: task, containerEdits }],
  }
}

export function cdiDevice(task: string): string {
  return `${CDI_KIND}=${task}`
}

function cdiMount({ source, destination, layers }: PlannedMount): CdiMount {
  if (layers === undefined) {
    return { hostPath: source, containerPath: destination, options: bindOptions }
  }
  const options = overlayOptions('CDI', [...layers, source])
  return { hostPath: 'overlay', containerPath: destination, type: 'overlay', options }
}

function scratchMount({ destination, bytes }: MountPlan['scratch'][number]): CdiMount {
  return { hostPath: 'tmpfs', containerPath: destination, type: 'tmpfs', options: scratchOptions(bytes) }
}

/** As low as the fields allow (SPEC.md, "Released versions"; minimum version of its Go package): more engines read it. */
function versionFor(name: string, { mounts }: CdiEdits): CdiSpec['cdiVersion'] {
  if (/^[0-9]/.test(name)) return '0.5.0'
  return mounts.some(({ type }) => type !== undefined) ? '0.4.0' : '0.3.0'
}
