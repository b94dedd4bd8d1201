import { linkSync, lstatSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { EnvdError } from '../../../src/error.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'
import type { Project } from '../../../src/project/project.ts'
import { sitePackages } from '../../uv/proof/site-packages.ts'
import type { LayerWork } from '../layer/layer-work.ts'
import { recordedFiles } from './recorded-files.ts'

/** Where a layer has them, in the environment it lies over: what is hidden of a wheel hides these, too. */
const kept = 'share/envd/binaries'

/** Links the compiled files of a locked wheel into a layer. No byte is copied. Errors: PROJECT_BINARIES_MISSING. */
export function linkBinaries(work: Pick<LayerWork, 'tree'>, from: string, layer: string): void {
  const { packages, files } = binariesOf(work, from)
  for (const path of files) {
    const to = join(layer, kept, path)
    onMachine(to, () => {
      makeFolders(dirname(to))
      linkSync(join(packages, path), to)
    })
  }
}

/**
 * Puts links to them beside the sources of a checkout, at the places they have beside the wheel's; what the checkout
 * has itself stays. Errors: PROJECT_BINARIES_MISSING.
 */
export function placeBinaries(
  work: Pick<LayerWork, 'tree'>,
  { binaryFrom, sourceRoot, import: how }: Project,
  checkout: string,
): void {
  if (binaryFrom === null) return
  const { packages, files } = binariesOf(work, binaryFrom)
  const inside = how === 'editable' ? kept : packages.slice(work.tree.length + 1)
  for (const path of files) {
    const place = join(checkout, sourceRoot, path)
    onMachine(place, () => {
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return
      makeFolders(dirname(place))
      symlinkSync(`${CONTAINER.environment}/${inside}/${path}`, place)
    })
  }
}

/** Paths inside site-packages. Those of a wheel that was repaired lie in `<name>.libs` beside the package. */
function binariesOf({ tree }: Pick<LayerWork, 'tree'>, from: string) {
  const packages = sitePackages(tree)
  const inside = `${packages.slice(tree.length + 1)}/`
  const files = (recordedFiles({ tree }, from) ?? [])
    .filter(path => path.startsWith(inside) && /\.so(\.[0-9]+)*$/.test(path))
    .map(path => path.slice(inside.length))
  if (files.length > 0) return { packages, files }
  throw new EnvdError('PROJECT_BINARIES_MISSING', `${from} of the lock has no compiled files`, {
    details: { distribution: from },
  })
}
