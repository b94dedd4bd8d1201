import type { MountPlan } from '../mount-plan.ts'

/** The image as the last word of a command line; none where the tool can't take it, and then a note says so. */
export interface ImageArgument {
  readonly words: readonly string[]
  readonly notes: readonly string[]
}

/** For tools that take `oci:<layout>:<name>` and `docker://…` as skopeo does (containers-transports(5)). */
export function localImage(plan: MountPlan, tool: string): ImageArgument {
  if (plan.image !== null) return { words: [plan.image.reference], notes: [] }
  return unnamed(plan, tool)
}

/** For tools that take `<host>/<name>@<digest>` of a registry. */
export function registryImage(plan: MountPlan, tool: string): ImageArgument {
  const reference = registryReference(plan)
  return reference === null ? unnamed(plan, tool) : { words: [reference], notes: [] }
}

/** `host/name@sha256:…`, null where the image is not of a registry. */
export function registryReference({ image }: MountPlan): string | null {
  return /^docker:\/\/(.+)$/.exec(image?.reference ?? '')?.[1] ?? null
}

function unnamed({ image }: MountPlan, tool: string): ImageArgument {
  const notes =
    image === null
      ? [`name the image after the last option; any that fits the environment's target`]
      : [`bring base image ${image.name} to where ${tool} finds it, and name it after the last option`]
  return { words: [], notes }
}
