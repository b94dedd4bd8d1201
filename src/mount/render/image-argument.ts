import type { MountPlan } from '../mount-plan.ts'
import { refuseCharacters } from './rendered.ts'

/** The image as the last word of a command line; none where the tool can't take it, and then a note says so. */
export interface ImageArgument {
  readonly words: readonly string[]
  readonly notes: readonly string[]
}

/** For tools that read the volume's layout (containers-transports(5): a path ends at the first colon). */
export function localImage({ image }: MountPlan, tool: string): ImageArgument {
  if (image === null) return unnamed('an image that fits', tool)
  const [, layout] = /^oci:(.*):[^:]*$/s.exec(image.local) ?? []
  refuseCharacters(tool, layout ?? '', /:/)
  return { words: [image.local], notes: [] }
}

/** For tools that take `<host>/<name>@<digest>` of a registry. */
export function registryImage(plan: MountPlan, tool: string): ImageArgument {
  const reference = registryReference(plan)
  if (reference !== null) return { words: [reference], notes: [] }
  return unnamed(plan.image === null ? 'an image that fits' : `base image ${plan.image.name}`, tool)
}

/** `host/name@sha256:…`, null where the image is not of a registry. */
export function registryReference({ image }: MountPlan): string | null {
  return image?.registry?.replace(/^docker:\/\//, '') ?? null
}

function unnamed(image: string, tool: string): ImageArgument {
  return { words: [], notes: [`bring ${image} to where ${tool} finds it, and name it after the last option`] }
}
