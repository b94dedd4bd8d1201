import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { tasksFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { forget, remember } from '../../../cache/volume/remember.ts'
import { isKey, type Key } from '../../../src/digest.ts'
import type { PlacedTask } from '../prepare-placed.ts'
import { keyCircumstances, taskFact } from './known-key.ts'

/**
 * `tasks/<first 16 digits of sha256 of the lockfiles folder>/<task>.json`: the key a task last had where it belongs,
 * on this host or in the base image it names. `…/<task>@default.json`: the key of a task that names none, in the
 * default image. Two folders may hold a task of one name. These are the roots of collection.
 */
export interface TaskRecord {
  readonly task: string
  readonly lockfiles: string
  readonly key: Key
  /** Digests of what the key followed from: the task's own files, and the rest. Older records don't tell. */
  readonly files?: Key
  readonly circumstances?: Key
}

/** Of the place where the task belongs, or of the default image. */
export function readTaskRecord(
  volume: Volume,
  lockfiles: string,
  task: string,
  suffix: Suffix = '',
): TaskRecord | null {
  return parseRecord(readText(recordFile(volume, lockfiles, task, suffix)))
}

/** Tasks of the folder that were prepared for the default image. */
export function tasksInDefaultImage(volume: Volume, lockfiles: string): string[] {
  const end = '@default.json'
  const names = namesIn(recordFolder(volume, lockfiles)).filter(name => name.endsWith(end))
  return names.map(name => name.slice(0, -end.length))
}

/** Writes only what changed: a hit that repeats the last record touches nothing. */
export function recordTask({ configuration, volume, input, target, image }: PlacedTask, key: Key): void {
  const { lockfiles } = configuration
  const { baseImage } = input.task
  const record: TaskRecord = {
    ...{ task: input.name, lockfiles, key },
    files: taskFact(input),
    circumstances: keyCircumstances(target),
  }
  const inDefault = image !== null && baseImage === null
  const changed = writeTaskRecord(volume, record, inDefault ? '@default' : '')
  // A task that names an image now has no business in the default one.
  if (changed && baseImage !== null) forget(volume, recordFile(volume, lockfiles, input.name, '@default'))
}

/** False where nothing was written. */
export function writeTaskRecord(volume: Volume, record: TaskRecord, suffix: Suffix = ''): boolean {
  if (!volume.owned) return false
  const file = recordFile(volume, record.lockfiles, record.task, suffix)
  const text = JSON.stringify(record)
  if (readText(file) === text) return false
  remember(volume, file, text)
  return true
}

/** Tasks, of any lockfiles folder, whose last key this was; one may have it in both its places. */
export function tasksWithKey(volume: Volume, key: string): TaskRecord[] {
  return allTaskRecords(volume).filter(record => record.key === key)
}

/** Of all lockfiles folders; tasks whose folder is gone among them. */
export function allTaskRecords(volume: Volume): TaskRecord[] {
  const root = tasksFolder(volume)
  return readdirSync(root)
    .flatMap(folder =>
      readdirSync(join(root, folder)).map(file => parseRecord(readText(join(root, folder, file)))),
    )
    .filter(record => record !== null)
}

/** No name of a task holds an `@`. */
type Suffix = '' | '@default'

function recordFile(volume: Volume, lockfiles: string, task: string, suffix: Suffix = ''): string {
  return join(recordFolder(volume, lockfiles), `${task}${suffix}.json`)
}

function recordFolder(volume: Volume, lockfiles: string): string {
  return join(tasksFolder(volume), createHash('sha256').update(lockfiles).digest('hex').slice(0, 16))
}

function parseRecord(text: string): TaskRecord | null {
  try {
    const record = JSON.parse(text) as TaskRecord
    return isKey(record.key) ? record : null
  } catch {
    return null
  }
}

/** Empty where there is no such file. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
