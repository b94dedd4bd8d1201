import type { InstallProgress } from '../../../uv/run/install-progress.ts'
import type { Progress } from '../../progress.ts'

/** Bytes where the lock tells sizes, else packages. */
export function describeInstall(progress: InstallProgress): Progress {
  const { phase, message, done, total, bytesDone, bytesTotal } = progress
  if (phase === 'download' && bytesTotal > 0) {
    return { phase, message, done: bytesDone, total: bytesTotal, unit: 'bytes' }
  }
  return { phase, message, done, total, unit: 'packages' }
}
