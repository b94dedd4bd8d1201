import { join } from 'node:path'
import type { PinnedTask } from '../../../src/api/artifacts.ts'
import { describeArtifact } from '../../../src/artifact/artifact.ts'
import { declaredArtifacts } from '../../../src/artifact/parse-artifacts.ts'
import { type Pin, writePins } from '../../../src/artifact/write-pins.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { parseStrictTable } from '../../../src/toml/strict-table.ts'
import { findPin } from '../../artifact/find-pin.ts'
import type { WorkOptions } from '../../door.ts'
import type { Progress } from '../../prepare/progress.ts'
import { signalOf } from '../../signal-of.ts'
import { readTaskFile } from './task-file.ts'

/** Finds out what isn't pinned in a task.toml, and writes it down: every other line stays as it is. */
export async function pinArtifacts(
  { lockfiles }: Configuration,
  task: string,
  options: WorkOptions,
): Promise<PinnedTask> {
  const file = readTaskFile(lockfiles, task)
  const declared = declaredArtifacts(parseStrictTable(file.text, file.path, 'TASK_INVALID'))
  const context = {
    ...{ folder: join(lockfiles, task), environment: process.env },
    signal: signalOf(options),
    report: (progress: Progress) => options.onEvent?.({ task, ...progress }),
  }
  const pins: Pin[] = []
  const pinned: PinnedTask['pinned'][number][] = []
  for (const [position, { artifact }] of declared.entries()) {
    const found = await findPin(artifact, context)
    if (found === null) continue
    pins.push({ position, key: found.key, value: found.to })
    pinned.push({ name: describeArtifact(artifact), ...found })
  }
  // Also where there is nothing to write: what can't be pinned here, a URL without sha256, is refused.
  file.write(writePins(file.text, file.path, pins))
  return { task, file: file.path, pinned }
}
