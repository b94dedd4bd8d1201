import type { Volume } from '../../cache/volume/open-volume.ts'
import type { ReportProgress } from '../prepare/progress.ts'

/** What every step of bringing an image works with. */
export interface ImageWork {
  readonly volume: Volume
  /** Variables that skopeo, apt and podman see: proxies, and where their own configuration lies. */
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly report: ReportProgress
}
