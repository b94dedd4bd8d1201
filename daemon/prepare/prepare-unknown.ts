import type { ReadyEnvironment } from '../../cache/environment/find-environment.ts'
import { findUndamaged } from '../../cache/environment/find-undamaged.ts'
import { noteUse } from '../../cache/environment/note-use.ts'
import { noteHit } from '../../cache/history/note-hit.ts'
import { environmentTree } from '../../cache/volume/layout.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import type { PreparedTask } from '../../src/api/prepare.ts'
import type { Closure } from '../../src/closure/closure.ts'
import type { Key } from '../../src/digest.ts'
import { environmentKey } from '../../src/key/environment-key.ts'
import { type Built, buildEnvironment } from './build/build-environment.ts'
import { findWhole } from './build/find-whole.ts'
import type { PrepareContext } from './context.ts'
import { type Outcome, once } from './once/once.ts'
import type { PhaseClock } from './phase-clock.ts'
import { rememberKey } from './task/known-key.ts'
import { type SelectedTask, selectTask } from './task/select-task.ts'
import { recordTask } from './task/task-record.ts'

/** The way of a task whose key is not known yet, or whose environment is not ready. */
export async function prepareUnknown(
  context: PrepareContext,
  clock: PhaseClock,
  dryRun: boolean,
): Promise<PreparedTask> {
  const { volume, input, target, image } = context
  context.report({ phase: 'resolve', message: 'reading the lock' })
  const inputs = await clock.measure('resolve', () => selectTask(context))
  const key = environmentKey(inputs)
  rememberKey(volume, input, target, key)
  const leftOut = inputs.closure.leftOut.map(({ name }) => name)
  if (dryRun) {
    return {
      ...describePlan(context, key, inputs.closure, clock),
      ...(leftOut.length > 0 ? { leftOut } : {}),
    }
  }
  const { value, built } = await findOrBuild(context, key, inputs, clock)
  recordTask(context, key)
  if (!built) noteHit(volume, key)
  const { packages, files, bytes } = value.summary
  return {
    task: input.name,
    key,
    path: value.path,
    reused: !built,
    packages,
    files,
    bytes: { apparent: bytes, added: value.added },
    seconds: clock.seconds(),
    ...(image === null ? {} : { image: image.name }),
    ...(leftOut.length > 0 ? { leftOut } : {}),
    ...(value.conflicts.length > 0 ? { conflicts: value.conflicts } : {}),
  }
}

async function findOrBuild(
  context: PrepareContext,
  key: Key,
  inputs: SelectedTask,
  clock: PhaseClock,
): Promise<Outcome<Built>> {
  const { configuration, volume, signal, report } = context
  const find = () => {
    const ready = findUndamaged(volume, key)
    return ready && asFound(ready)
  }
  const there = find()
  if (there) {
    noteUse(volume, key)
    return { value: there, built: false }
  }
  requireOwner(volume)
  return once({
    ...{ volume, key, signal, report, clock, find },
    slots: configuration.builds,
    build: async announce => {
      const build = { context, key, inputs, clock, report: announce }
      const whole = await findWhole(build)
      return whole
        ? { value: asFound(whole), built: false }
        : { value: await buildEnvironment(build), built: true }
    },
  })
}

function asFound(ready: ReadyEnvironment): Built {
  return { ...ready, added: 0, conflicts: [] }
}

function describePlan(
  { volume, input, image }: PrepareContext,
  key: Key,
  { distributions }: Closure,
  clock: PhaseClock,
): PreparedTask {
  const ready = findUndamaged(volume, key)
  return {
    task: input.name,
    key,
    path: environmentTree(volume, key),
    reused: ready !== null,
    packages: distributions.length,
    files: ready?.summary.files ?? 0,
    bytes: { apparent: ready?.summary.bytes ?? 0, added: 0 },
    seconds: clock.seconds(),
    ...(image === null ? {} : { image: image.name }),
    ready: ready !== null,
    closure: distributions.map(({ name, version, filename, digest, size }) => ({
      ...{ name, version, filename, digest, size },
    })),
  }
}
