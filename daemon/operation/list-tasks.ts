import { existsSync } from 'node:fs'
import { findEnvironment } from '../../cache/environment/find-environment.ts'
import { buildLockFile } from '../../cache/volume/layout.ts'
import { tryLock } from '../../cache/volume/ofd-lock.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { TaskRow } from '../../src/api/operations.ts'
import type { Configuration } from '../../src/config/configuration.ts'
import type { Key } from '../../src/digest.ts'
import { asEnvdError } from '../../src/error.ts'
import { recallKey } from '../prepare/known-key.ts'
import { taskNames } from '../prepare/task-names.ts'
import { readTaskRecord } from '../prepare/task-record.ts'
import { taskContext } from './task-context.ts'

/** All tasks of the lockfiles folder, without uv, network or a look into a lock. */
export function listTasks(configuration: Configuration, volume: Volume): TaskRow[] {
  return taskNames(configuration.lockfiles).map(task => {
    try {
      return describeTask(configuration, volume, task)
    } catch (error) {
      const { message } = asEnvdError(error)
      return { task, state: 'invalid', key: null, packages: null, bytes: null, problem: message }
    }
  })
}

function describeTask(configuration: Configuration, volume: Volume, task: string): TaskRow {
  const { input, target } = taskContext(configuration, volume, task)
  const key = recallKey(volume, input, target)
  const ready = key && findEnvironment(volume, key)
  if (ready) {
    const { packages, bytes } = ready.summary
    return { task, state: 'ready', key, packages, bytes }
  }
  if (key && isLocked(volume, key)) return { task, state: 'building', key, packages: null, bytes: null }
  const last = readTaskRecord(volume, configuration.lockfiles, task)
  const changed = last !== null && last.key !== key && findEnvironment(volume, last.key) !== null
  return { task, state: changed ? 'lock changed' : 'absent', key, packages: null, bytes: null }
}

/** Whether a process holds the build lock; another user can't open it to ask and sees no build. */
function isLocked(volume: Volume, key: Key): boolean {
  const path = buildLockFile(volume, key)
  if (!volume.owned || !existsSync(path)) return false
  const lock = tryLock(path)
  lock?.release()
  return lock === null
}
