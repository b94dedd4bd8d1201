import { basename, dirname } from 'node:path/posix'
import type { MountPlan, PlannedImage } from '../mount-plan.ts'
import { notExpressible, refuseCharacters, shellWord } from './rendered.ts'

/** The image as the last word of a command line; none where the tool can't take it, and then a note says so. */
export interface ImageArgument {
  readonly words: readonly string[]
  readonly notes: readonly string[]
}

/** By its ID; `loading` is the command line that brings it from the volume's layout into podman's storage. */
export function podmanImage({ image }: MountPlan): ImageArgument & { readonly loading: string } {
  const tool = 'podman'
  if (image === null) return { ...unnamed('an image that fits', tool), loading: '' }
  const { id, layout, name } = image
  if (id === null) throw notExpressible(tool, name, 'the volume has no such image yet')
  // From within: podman makes a name of the path, and takes neither capitals nor spaces in it.
  const pull = `cd ${shellWord(dirname(layout))} && podman pull --quiet oci:${basename(layout)}:${name}`
  return { words: [id], notes: [], loading: `podman image exists ${id} || (${pull})\n` }
}

/** `oci:<layout>:<name>`, for tools that read the volume's layout; its path ends at the first colon. */
export function layoutImage({ image }: MountPlan, tool: string): ImageArgument {
  if (image === null) return unnamed('an image that fits', tool)
  return { words: [`oci:${refuseCharacters(tool, image.layout, /:/)}:${image.name}`], notes: [] }
}

/** For tools that take `<host>/<name>@<digest>` of a registry. */
export function registryImage({ image }: MountPlan, tool: string): ImageArgument {
  const reference = image && registryReference(image)
  if (reference !== null) return { words: [reference], notes: [] }
  return unnamed(image === null ? 'an image that fits' : `base image ${image.name}`, tool)
}

/** `host/name@sha256:…`, null where the image is not of a registry. */
export function registryReference({ registry }: PlannedImage): string | null {
  return registry?.replace(/^docker:\/\//, '') ?? null
}

function unnamed(image: string, tool: string): ImageArgument {
  return { words: [], notes: [`bring ${image} to where ${tool} finds it, and name it after the last option`] }
}
