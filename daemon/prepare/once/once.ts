import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type HeldLock, tryLock, waitForLock } from '../../../cache/lock/ofd-lock.ts'
import { buildLockFile, buildRecordFile, buildSlotFile } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { ErrorBody } from '../../../src/api/prepare.ts'
import type { Key } from '../../../src/digest.ts'
import type { PhaseClock } from '../phase-clock.ts'
import type { Progress, ReportProgress } from '../progress.ts'
import { type BuildRecord, readBuildRecord, removeBuildRecord, writeBuildRecord } from './build-record.ts'
import { fromBody, toBody } from './error-body.ts'

export interface OnceOptions<T> {
  readonly volume: Volume
  readonly key: Key
  /** How many builds of different keys may run side by side on this volume. */
  readonly slots: number
  readonly signal: AbortSignal
  readonly report: ReportProgress
  /** Waiting is counted to its phase `wait`. */
  readonly clock: PhaseClock
  /** The environment, when it is there; called with the key's lock. */
  find(): T | null
  build(report: ReportProgress): Promise<Outcome<T>>
}

export interface Outcome<T> {
  readonly value: T
  /** False where it was found, or only healed. */
  readonly built: boolean
}

/**
 * One build a key, whoever asks: the holder of the key's OFD lock builds, the others wait and show what the
 * builder says. The lock dies with its holder, so a killed builder is followed by the next waiter. A builder
 * that fails tells those who were waiting then, so that fifty waiters do not repeat one failure fifty times.
 */
export async function once<T>(options: OnceOptions<T>): Promise<Outcome<T>> {
  const { volume, key } = options
  const lock = await options.clock.measure('wait', () => waitForBuilder(options))
  try {
    const there = options.find()
    if (there) return { value: there, built: false }
    const slot = await options.clock.measure('wait', () => waitForSlot(options))
    try {
      return await announced(options, buildRecordFile(volume, key))
    } finally {
      slot.release()
    }
  } finally {
    lock.release()
  }
}

async function waitForBuilder<T>(options: OnceOptions<T>): Promise<HeldLock> {
  const { volume, key, signal, report } = options
  const path = buildLockFile(volume, key)
  const free = tryLock(path)
  if (free) return free
  const file = buildRecordFile(volume, key)
  const failedBefore = readBuildRecord(file)
  const before = failedBefore?.failed ? failedBefore.build : null
  const lock = await waitForLock(path, {
    signal,
    onWait: waitedMs => report(asWaiter(readBuildRecord(file), waitedMs)),
  })
  const last = readBuildRecord(file)
  if (last?.failed && last.build !== before) {
    lock.release()
    throw fromBody(last.failed)
  }
  return lock
}

function asWaiter(record: BuildRecord | null, waitedMs: number): Progress {
  const waitedSeconds = waitedMs / 1000
  if (!record || record.failed) return { phase: 'wait', message: 'waiting for another build' }
  const { message, done, total, unit, pid, host } = record
  return {
    phase: 'wait',
    message,
    ...(done === undefined ? {} : { done }),
    ...(total === undefined ? {} : { total }),
    ...(unit === undefined ? {} : { unit }),
    builder: { pid, host, waitedSeconds },
  }
}

/** Any of `slots` locks; asked in turn, since a file lock has no queue. */
async function waitForSlot<T>({ volume, slots, signal, report }: OnceOptions<T>): Promise<HeldLock> {
  for (;;) {
    for (let slot = 0; slot < slots; slot++) {
      const held = tryLock(buildSlotFile(volume, slot))
      if (held) return held
    }
    report({ phase: 'wait', message: `waiting: ${slots} other builds are running` })
    signal.throwIfAborted()
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

async function announced<T>(options: OnceOptions<T>, file: string): Promise<Outcome<T>> {
  const who = { pid: process.pid, host: hostname(), build: randomUUID() }
  let last = 0
  const say = (progress: Progress, always = false) => {
    options.report(progress)
    const now = performance.now()
    if (!always && now - last < 200) return
    last = now
    writeBuildRecord(file, { ...who, ...progress })
  }
  try {
    say({ phase: 'install', message: 'starting' }, true)
    const outcome = await options.build(say)
    removeBuildRecord(file)
    return outcome
  } catch (error) {
    tellFailure(file, who, options.signal.aborted ? null : toBody(error))
    throw error
  }
}

function tellFailure(
  file: string,
  who: Pick<BuildRecord, 'pid' | 'host' | 'build'>,
  error: ErrorBody | null,
): void {
  if (!error || error.code === 'INTERRUPTED') removeBuildRecord(file)
  else writeBuildRecord(file, { ...who, phase: 'wait', message: 'failed', failed: error })
}
