import { findUndamaged } from '../../cache/environment/find-undamaged.ts'
import { noteUse } from '../../cache/environment/note-use.ts'
import { noteHit } from '../../cache/history/note-hit.ts'
import type { PreparedTask } from '../../src/api/prepare.ts'
import type { PrepareContext } from './context.ts'
import type { PhaseClock } from './phase-clock.ts'
import type { ReportProgress } from './progress.ts'
import { recallKey } from './task/known-key.ts'
import { recordTask } from './task/task-record.ts'

export interface PrepareOptions {
  readonly dryRun: boolean
  readonly signal: AbortSignal
  readonly report: ReportProgress
  /** It is to run on this host, without a container: what belongs in a base image is refused. */
  readonly onHost?: true
}

/** What is prepared: a task as it was read, for one place. */
export type PlacedTask = Omit<PrepareContext, 'signal' | 'report'>

/** The environment, and then the task's weights and data sets, whose names no key of an environment knows. */
export async function preparePlaced(
  placed: PlacedTask,
  clock: PhaseClock,
  options: PrepareOptions,
): Promise<PreparedTask> {
  const prepared = await prepareEnvironment(placed, clock, options)
  if (placed.input.task.artifacts.length === 0) return prepared
  const { prepareArtifacts } = await import('../artifact/prepare-artifacts.ts')
  return { ...prepared, artifacts: await prepareArtifacts(placed, options), seconds: clock.seconds() }
}

/** A hit, when the key is known and ready; else the way of what is unknown. */
async function prepareEnvironment(
  placed: PlacedTask,
  clock: PhaseClock,
  { dryRun, signal, report }: PrepareOptions,
): Promise<PreparedTask> {
  const { volume, input, target, image } = placed
  const known = recallKey(volume, input, target)
  const ready = known && !dryRun ? findUndamaged(volume, known) : null
  if (known && ready) {
    recordTask(placed, known)
    noteUse(volume, known)
    noteHit(volume, known)
    const { packages, files, bytes } = ready.summary
    return {
      task: input.name,
      key: known,
      path: ready.path,
      reused: true,
      packages,
      files,
      bytes: { apparent: bytes, added: 0 },
      seconds: clock.seconds(),
      ...(image === null ? {} : { image: image.name }),
    }
  }
  const { prepareUnknown } = await import('./prepare-unknown.ts')
  return prepareUnknown({ ...placed, signal, report }, clock, dryRun)
}
