import type { BaseImage } from '../../src/image/image.ts'
import type { ImportedPython } from '../../src/image/imported-python.ts'
import type { Target } from '../../src/target/target.ts'

/** Where the environment of a task will be used. */
export interface Placement {
  readonly target: Target
  /** Null: this host. */
  readonly image: BaseImage | null
  /** The interpreter that was taken in and is mounted beside the environment; null: the image's own, or the host's. */
  readonly python: ImportedPython | null
}
