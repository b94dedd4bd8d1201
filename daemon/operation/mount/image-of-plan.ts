import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { BaseImage } from '../../../src/image/image.ts'
import type { MountInput } from '../../../src/mount/plan-mounts.ts'

/** The image as a plan names it. */
export function imageOfPlan(_volume: Volume, image: BaseImage): MountInput['image'] {
  const { source, name } = image
  return { name, reference: source.kind === 'registry' ? source.reference : name, path: null }
}
