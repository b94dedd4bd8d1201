import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { checkTaskName, parseTask, type Task } from '../../../src/task/task.ts'

/** A task as it lies in the lockfiles folder at one moment. */
export interface TaskInput {
  readonly name: string
  readonly task: Task
  readonly lock: LockFile
}

interface LockFile {
  readonly path: string
  readonly file: string
  readonly bytes: Uint8Array
  /** sha256 of `bytes`, hex. */
  readonly digest: string
}

export function readTask(lockfiles: string, name: string): TaskInput {
  checkTaskName(name)
  const path = join(lockfiles, name, 'task.toml')
  const task = parseTask(readTaskFile(path, name, lockfiles), path)
  return { name, task, lock: readLock(join(lockfiles, name, task.lock)) }
}

function readTaskFile(path: string, name: string, lockfiles: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if (!isMissing(cause))
      throw new EnvdError('IO', `cannot read ${path}: ${(cause as Error).message}`, { cause })
    throw new EnvdError('TASK_NOT_FOUND', `no task ${name} in ${lockfiles}`, {
      details: { task: name, lockfiles },
      cause,
    })
  }
}

const attempts = 3

/** Reads a lock whole: one that changes meanwhile is read again, and refused when it does not come to rest. */
function readLock(path: string): LockFile {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const bytes = readUnchanged(path)
    if (bytes) {
      return { path, file: basename(path), bytes, digest: createHash('sha256').update(bytes).digest('hex') }
    }
  }
  throw new EnvdError(
    'LOCK_CHANGED_WHILE_READ',
    `${path} changed while it was read, ${attempts} times in a row`,
    {
      details: { path },
    },
  )
}

function readUnchanged(path: string): Uint8Array | null {
  const descriptor = openLock(path)
  try {
    const before = fstatSync(descriptor, { bigint: true })
    const bytes = readFileSync(descriptor)
    const after = fstatSync(descriptor, { bigint: true })
    const there = statSync(path, { bigint: true, throwIfNoEntry: false })
    const still =
      before.mtimeNs === after.mtimeNs && BigInt(bytes.length) === after.size && there?.ino === after.ino
    return still ? bytes : null
  } finally {
    closeSync(descriptor)
  }
}

function openLock(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    if (!isMissing(cause))
      throw new EnvdError('IO', `cannot read ${path}: ${(cause as Error).message}`, { cause })
    throw new EnvdError('LOCK_NOT_FOUND', `there is no lock at ${path}`, { details: { path }, cause })
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
