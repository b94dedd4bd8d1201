import type { Key } from '../../../src/digest.ts'
import type { ImageRecord } from '../../../src/image/image-record.ts'
import type { Project } from '../../../src/project/project.ts'
import type { Receipt } from '../../../src/report/receipt.ts'
import type { Target } from '../../../src/target/target.ts'
import type { ImageWork } from '../../image/image-work.ts'

/** What a layer over an environment is made from. */
export interface LayerWork extends ImageWork {
  readonly task: string
  readonly project: Project
  /** A clean copy, on this host; it is only read. */
  readonly checkout: string
  /** Of the environment. */
  readonly key: Key
  /** The environment's `tree/`. */
  readonly tree: string
  readonly target: Target
  readonly packages: Receipt['packages']
  /** `tree/` of the interpreter that was taken in; null: the image's own. */
  readonly python: string | null
  /** Variables that the build backend sees: `[build] environment` of task.toml. */
  readonly variables: Readonly<Record<string, string>>
  /** Brings the image of the task's containers to the volume, where it isn't there. */
  image(): Promise<ImageRecord>
}
