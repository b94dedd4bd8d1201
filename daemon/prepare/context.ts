import type { Volume } from '../../cache/volume/open-volume.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { Placement } from './placement.ts'
import type { ReportProgress } from './progress.ts'
import type { TaskInput } from './task/read-task.ts'

/** What every step of preparing one task works with. */
export interface PrepareContext extends Placement {
  readonly configuration: Configuration
  readonly volume: Volume
  readonly input: TaskInput
  readonly signal: AbortSignal
  readonly report: ReportProgress
}
