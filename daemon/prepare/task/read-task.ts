import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { parseTask, type Task } from '../../../src/task/task.ts'
import { checkTaskName } from '../../../src/task/task-name.ts'
import { decodeToml } from '../../../src/toml/decode-toml.ts'
import { openFile } from './open-file.ts'

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
  const task = parseTask(decodeToml(readTaskFile(path, name, lockfiles), path, 'TASK_INVALID'), path)
  return { name, task, lock: readLock(join(lockfiles, name, task.lock)) }
}

function readTaskFile(path: string, name: string, lockfiles: string): Uint8Array {
  const descriptor = open(path, cause => {
    throw new EnvdError('TASK_NOT_FOUND', `no task ${name} in ${lockfiles}`, {
      details: { task: name, lockfiles },
      cause,
    })
  })
  if (descriptor === null) {
    throw new EnvdError('TASK_INVALID', `${path} is not a file`, { details: { place: { file: path } } })
  }
  try {
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
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
  const descriptor = open(path, cause => {
    throw new EnvdError('LOCK_NOT_FOUND', `there is no lock at ${path}`, { details: { path }, cause })
  })
  if (descriptor !== null) return descriptor
  throw new EnvdError('LOCK_NOT_FOUND', `${path} is not a file`, { details: { path } })
}

/** Null where something else than a file is there. */
function open(path: string, missing: (cause: unknown) => never): number | null {
  try {
    return openFile(path)
  } catch (cause) {
    if (isMissing(cause)) return missing(cause)
    throw new EnvdError('IO', `cannot read ${path}: ${(cause as Error).message}`, { cause })
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}
