import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { hasErrno, onMachine } from '../../../cache/disk/machine-error.ts'
import type { AddedTask, AddRequest } from '../../../src/api/operations.ts'
import { requireSomeTarget } from '../../../src/closure/require-some-target.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Lock } from '../../../src/lock/lock.ts'
import { parseLock } from '../../../src/lock/parse-lock.ts'
import { formatTask } from '../../../src/task/format-task.ts'
import { parseTask } from '../../../src/task/task.ts'
import { checkTaskName } from '../../../src/task/task-name.ts'
import { readImage } from '../../image/read/read-image.ts'
import { openFile } from '../../prepare/task/open-file.ts'

/**
 * Makes a task from the lock of someone's own project: the lock is copied, `python` is the lock's
 * `requires-python` unless it is given. The folder appears whole or not at all, and not where no target could be
 * prepared for. Errors: those of parseLock, readImage and requireSomeTarget, TASK_EXISTS.
 */
export function addTask(configuration: Configuration, request: AddRequest): AddedTask {
  checkTaskName(request.task)
  const folder = join(configuration.lockfiles, request.task)
  if (existsSync(folder)) throw exists(request.task, folder)
  const bytes = readLock(resolve(request.lock))
  const file = basename(request.lock)
  if (file === 'task.toml') {
    throw new EnvdError('USAGE', `${request.lock} is a task, not a lock`, {
      hint: 'Name the lock file with --lock.',
    })
  }
  const lock = parseLock(bytes, request.lock)
  const { extras = [], groups = [], baseImage = null } = request
  if (baseImage !== null) readImage(configuration, baseImage)
  const python = request.python ?? lock.requiresPython
  const available = { extras: [...lock.extras.keys()].sort(), groups: [...lock.groups.keys()].sort() }
  requireKnown('extra', extras, available.extras, request.lock)
  requireKnown('group', groups, available.groups, request.lock)
  const text = formatTask({
    lock: file,
    python,
    extras,
    groups,
    baseImage,
    build: { environment: {} },
    artifacts: [],
    project: null,
  })
  const task = parseTask(text, join(folder, 'task.toml'))
  requireSomeTarget(lock, task, task.python)
  writeTask(configuration.lockfiles, request.task, { 'task.toml': text, [file]: bytes })
  return {
    task: request.task,
    folder,
    lock: file,
    format: lock.format,
    python: task.python,
    packages: lock.packages.length,
    extras: task.extras,
    groups: task.groups,
    available,
    baseImage,
    leftOut: members(lock),
    indexes: lock.furtherIndexes,
  }
}

function readLock(path: string): Uint8Array {
  let descriptor: number | null = null
  const refusal = (why: string, cause?: unknown) =>
    new EnvdError('LOCK_NOT_FOUND', `cannot read ${path}: ${why}`, {
      hint: 'Name the lock file with --lock.',
      details: { path },
      cause,
    })
  try {
    descriptor = openFile(path)
    if (descriptor !== null) return readFileSync(descriptor)
  } catch (cause) {
    throw refusal((cause as Error).message, cause)
  } finally {
    if (descriptor !== null) closeSync(descriptor)
  }
  throw refusal('it is not a file')
}

function requireKnown(
  what: 'extra' | 'group',
  chosen: readonly string[],
  known: readonly string[],
  file: string,
): void {
  const unknown = chosen.find(name => !known.includes(name))
  if (unknown === undefined) return
  const there = known.length === 0 ? 'none' : known.join(', ')
  throw new EnvdError(
    what === 'extra' ? 'LOCK_EXTRA_UNKNOWN' : 'LOCK_GROUP_UNKNOWN',
    `${file} has no ${what} ${unknown}; it has: ${there}`,
    { hint: `Choose one that is there with --${what}.`, details: { [what]: unknown, known } },
  )
}

function writeTask(lockfiles: string, name: string, files: Record<string, string | Uint8Array>): void {
  const temporary = join(lockfiles, `.${name}.${randomUUID()}`)
  onMachine(lockfiles, () => {
    mkdirSync(temporary, { recursive: true })
    try {
      for (const [file, content] of Object.entries(files)) writeFileSync(join(temporary, file), content)
      renameTask(temporary, join(lockfiles, name), name)
    } finally {
      rmSync(temporary, { recursive: true, force: true })
    }
  })
}

function renameTask(from: string, to: string, name: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    // Somebody made it meanwhile.
    if (hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw exists(name, to)
    throw error
  }
}

function members({ packages }: Lock): string[] {
  return packages.flatMap(({ name, source }) => (source.kind === 'member' ? [name] : []))
}

function exists(task: string, folder: string): EnvdError {
  return new EnvdError('TASK_EXISTS', `there is a task ${task} already: ${folder}`, {
    details: { task, folder },
  })
}
