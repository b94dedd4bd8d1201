import type { Volume } from '../../cache/volume/open-volume.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { Target } from '../../src/target/target.ts'
import type { ReportProgress } from './progress.ts'
import type { TaskInput } from './task/read-task.ts'

/** What every step of preparing one task works with. */
export interface PrepareContext {
  readonly configuration: Configuration
  readonly volume: Volume
  readonly input: TaskInput
  readonly target: Target
  readonly signal: AbortSignal
  readonly report: ReportProgress
}
