import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tasksFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { remember } from '../../../cache/volume/remember.ts'
import { isKey, type Key } from '../../../src/digest.ts'

/**
 * `tasks/<first 16 digits of sha256 of the lockfiles folder>/<task>.json`: the key a task last had. Two
 * folders may hold a task of one name. These are the roots of collection.
 */
export interface TaskRecord {
  readonly task: string
  readonly lockfiles: string
  readonly key: Key
}

export function readTaskRecord(volume: Volume, lockfiles: string, task: string): TaskRecord | null {
  return readRecord(recordFile(volume, lockfiles, task))
}

/** Writes only what changed: a hit that repeats the last key touches nothing. */
export function recordTask(volume: Volume, record: TaskRecord): void {
  if (!volume.owned) return
  const known = readTaskRecord(volume, record.lockfiles, record.task)
  if (known?.key === record.key) return
  remember(volume, recordFile(volume, record.lockfiles, record.task), JSON.stringify(record))
}

/** Tasks, of any lockfiles folder, whose last key this was. */
export function tasksWithKey(volume: Volume, key: string): TaskRecord[] {
  const root = tasksFolder(volume)
  return readdirSync(root)
    .flatMap(folder => readdirSync(join(root, folder)).map(file => readRecord(join(root, folder, file))))
    .filter((record): record is TaskRecord => record?.key === key)
}

function recordFile(volume: Volume, lockfiles: string, task: string): string {
  const folder = createHash('sha256').update(lockfiles).digest('hex').slice(0, 16)
  return join(tasksFolder(volume), folder, `${task}.json`)
}

function readRecord(path: string): TaskRecord | null {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as TaskRecord
    return isKey(record.key) ? record : null
  } catch {
    return null
  }
}
