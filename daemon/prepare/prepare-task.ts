import { findUndamaged } from '../../cache/environment/find-undamaged.ts'
import { noteUse } from '../../cache/environment/note-use.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { PreparedTask } from '../../src/api/prepare.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { PrepareContext } from './context.ts'
import { startPhaseClock } from './phase-clock.ts'
import type { ReportProgress } from './progress.ts'
import { recallKey } from './task/known-key.ts'
import { readTask } from './task/read-task.ts'
import { targetOf } from './task/target-of.ts'
import { recordTask } from './task/task-record.ts'

export interface PrepareOptions {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/**
 * `envd prepare <task>`, from its folder to the sealed environment: read the task and its lock, ask the
 * interpreter, and where the key that follows from these is known and ready, that is all. Otherwise select the
 * closure, name the key, build once or wait for who builds.
 */
export async function prepareTask(
  configuration: Configuration,
  volume: Volume,
  name: string,
  options: PrepareOptions,
): Promise<PreparedTask> {
  const clock = startPhaseClock()
  const input = readTask(configuration.lockfiles, name)
  const target = targetOf(configuration, volume, input)
  const known = recallKey(volume, input, target)
  const ready = known && !options.dryRun ? findUndamaged(volume, known) : null
  if (known && ready) {
    recordTask(volume, { task: name, lockfiles: configuration.lockfiles, key: known })
    noteUse(volume, known)
    const { packages, files, bytes } = ready.summary
    return {
      task: name,
      key: known,
      path: ready.path,
      reused: true,
      packages,
      files,
      bytes: { apparent: bytes, added: 0 },
      seconds: clock.seconds(),
    }
  }
  const context: PrepareContext = {
    ...{ configuration, volume, input, target },
    signal: options.signal,
    report: options.report,
  }
  const { prepareUnknown } = await import('./prepare-unknown.ts')
  return prepareUnknown(context, clock, options.dryRun)
}
