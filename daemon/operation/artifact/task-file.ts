import { closeSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeDurable } from '../../../cache/disk/durable.ts'
import { machineError, onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import { parseTask, type Task } from '../../../src/task/task.ts'
import { checkTaskName } from '../../../src/task/task-name.ts'
import { decodeToml } from '../../../src/toml/decode-toml.ts'
import { openFile } from '../../prepare/task/open-file.ts'

export interface TaskFile {
  readonly path: string
  readonly text: string
  /** Errors: TASK_INVALID, ARTIFACT_NOT_PINNED. */
  task(): Task
  /** Replaces the file as a whole, after the new text was read as a task; one that says the same stays. */
  write(text: string): void
}

/** A task.toml alone, without its lock. Errors: TASK_NOT_FOUND, TASK_INVALID, IO. */
export function readTaskFile(lockfiles: string, name: string): TaskFile {
  checkTaskName(name)
  const path = join(lockfiles, name, 'task.toml')
  const text = decodeToml(readBytes(path, name, lockfiles), path, 'TASK_INVALID')
  return {
    ...{ path, text },
    task: () => parseTask(text, path),
    write(edited) {
      parseTask(edited, path)
      if (edited === text) return
      // Of a symbolic link, what it leads to.
      const place = onMachine(path, () => realpathSync(path))
      writeDurable(place, edited, { mode: statSync(place).mode & 0o777 })
    },
  }
}

function readBytes(path: string, name: string, lockfiles: string): Uint8Array {
  let descriptor: number | null
  try {
    descriptor = openFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw machineError(cause, path)
    throw new EnvdError('TASK_NOT_FOUND', `no task ${name} in ${lockfiles}`, {
      details: { task: name, lockfiles },
      cause,
    })
  }
  if (descriptor === null)
    throw new EnvdError('TASK_INVALID', `${path} is not a file`, { details: { place: { file: path } } })
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
