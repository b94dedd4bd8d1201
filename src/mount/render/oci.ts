import type { MountPlan, PlannedMount } from '../mount-plan.ts'
import { bindOptions, overlayOptions, scratchOptions } from './oci-options.ts'
import { assignments, type RenderedMounts } from './rendered.ts'

/** Fragment of a config.json (OCI runtime-spec 1.1, config.md): to be appended to `mounts` and `process.env`. */
export interface OciFragment {
  readonly mounts: readonly OciMount[]
  readonly process: { readonly env: readonly string[] }
}

export interface OciMount {
  readonly destination: string
  readonly type: string
  readonly source: string
  readonly options: readonly string[]
}

export function renderOci(plan: MountPlan): RenderedMounts {
  return { text: `${JSON.stringify(ociFragment(plan), null, 2)}\n`, words: null, notes: [] }
}

export function ociFragment(plan: MountPlan): OciFragment {
  return {
    mounts: [...plan.mounts.map(ociMount), ...plan.scratch.map(scratchMount)],
    process: { env: assignments(plan) },
  }
}

function ociMount({ source, destination, layers }: PlannedMount): OciMount {
  if (layers === undefined) return { destination, type: 'bind', source, options: bindOptions }
  return {
    ...{ destination, type: 'overlay', source: 'overlay' },
    options: overlayOptions('An OCI runtime', [...layers, source]),
  }
}

function scratchMount({ destination, bytes }: MountPlan['scratch'][number]): OciMount {
  return { destination, type: 'tmpfs', source: 'tmpfs', options: scratchOptions(bytes) }
}
