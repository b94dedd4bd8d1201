import { pythonRequirement, SUPPORTED_PYTHONS } from '../task/python-request.ts'
import { satisfies } from '../version/specifier.ts'
import { compareVersions } from '../version/version.ts'
import type { BaseImage, ImagePython } from './image.ts'
import type { ImportedPython } from './imported-python.ts'

/** The interpreter of a task's container: the image's own, or one that was taken in and is mounted beside it. */
export type ChosenPython =
  | { readonly kind: 'image'; readonly python: ImagePython }
  | { readonly kind: 'imported'; readonly python: ImportedPython }

/** An interpreter that is there, and why a task can't have it. */
export interface UnfitPython {
  readonly version: string
  readonly where: string
  readonly why: string
}

/**
 * The image's own interpreter where it fits `wanted` (`python` of task.toml), else the newest fitting one that was
 * taken in; null where there is none. `imported`, newest first, is asked for only where the image's doesn't fit.
 */
export function choosePython(
  image: BaseImage,
  wanted: string | null,
  imported: () => readonly ImportedPython[],
): ChosenPython | null {
  const fits = pythonRequirement(wanted)
  if (image.python !== null && fits(image.python.version)) return { kind: 'image', python: image.python }
  const python = imported().find(one => fits(one.version) && runsIn(image, one))
  return python === undefined ? null : { kind: 'imported', python }
}

/** Of what there is, why it doesn't fit: for the error where `choosePython` finds none. */
export function unfitPythons(
  image: BaseImage,
  wanted: string | null,
  imported: readonly ImportedPython[],
): UnfitPython[] {
  const fits = pythonRequirement(wanted)
  const { python } = image
  const otherVersion = (version: string) =>
    satisfies(version, SUPPORTED_PYTHONS) ? 'another version' : 'not supported'
  const own: UnfitPython[] =
    python === null
      ? []
      : [{ version: python.version, where: `in the image ${image.name}`, why: otherVersion(python.version) }]
  return [
    ...own,
    ...imported.map(one => ({
      version: one.version,
      where: `taken in from ${one.importedFrom}`,
      why: fits(one.version) ? whyNotIn(image, one) : otherVersion(one.version),
    })),
  ]
}

function whyNotIn({ machine, libc }: BaseImage, { minimumLibc, ...one }: ImportedPython): string {
  if (one.machine !== machine) return `it is for ${one.machine}, the image for ${machine}`
  return `it needs ${minimumLibc.name} ${minimumLibc.version}, the image has ${libc.version}`
}

function runsIn({ machine, libc }: BaseImage, python: ImportedPython): boolean {
  return python.machine === machine && compareVersions(python.minimumLibc.version, libc.version) <= 0
}
