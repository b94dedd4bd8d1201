import { pythonRequirement } from '../task/python-request.ts'
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
  const own = image.python === null ? [] : [{ ...image.python, where: `in the image ${image.name}` }]
  return [
    ...own.map(({ version, where }) => ({ version, where, why: 'another version' })),
    ...imported.map(one => ({
      version: one.version,
      where: `taken in from ${one.importedFrom}`,
      why: !fits(one.version)
        ? 'another version'
        : one.machine === image.machine
          ? `it needs ${one.minimumLibc.name} ${one.minimumLibc.version}, the image has ${image.libc.version}`
          : `it is for ${one.machine}, the image for ${image.machine}`,
    })),
  ]
}

function runsIn({ machine, libc }: BaseImage, python: ImportedPython): boolean {
  return python.machine === machine && compareVersions(python.minimumLibc.version, libc.version) <= 0
}
