import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseTask } from '../../../src/task/task.ts'
import { decodeToml } from '../../../src/toml/decode-toml.ts'
import { taskNames } from '../../prepare/task/task-names.ts'

/** Which tasks name which base image. A task that can't be read names none; locks are not opened. */
export function tasksByImage(lockfiles: string): ReadonlyMap<string, readonly string[]> {
  const tasks = new Map<string, string[]>()
  for (const name of taskNames(lockfiles)) {
    const image = imageOf(join(lockfiles, name, 'task.toml'))
    if (image !== null) tasks.set(image, [...(tasks.get(image) ?? []), name])
  }
  return tasks
}

function imageOf(file: string): string | null {
  try {
    return parseTask(decodeToml(readFileSync(file), file, 'TASK_INVALID'), file).baseImage
  } catch {
    return null
  }
}
