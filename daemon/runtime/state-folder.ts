import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno } from '../../cache/disk/machine-error.ts'
import { makeFolder } from '../../cache/disk/make-folder.ts'
import { EnvdError } from '../../src/error.ts'

/**
 * What lies on this host for the hook, which runs as root: made by root, and gone with the boot.
 *
 *     program/<digest>/envd-hook   the hook of CDI files, by its sha256
 *     tasks/<task>.sh              what the hook of hooks.d reads (src/mount/hook/task-file.ts)
 *     refusals                     starts it refused, one a line: time, container, task, reason, separated by tabs
 */
export const STATE = '/run/envd'

export const programFile = (digest: string): string => join(STATE, 'program', digest, 'envd-hook')
export const taskFilesFolder = join(STATE, 'tasks')
/** The second one is where the hook writes for an engine that runs as this user. */
export const refusalsFiles = (): string[] => [
  join(STATE, 'refusals'),
  `/run/user/${process.geteuid!()}/envd-refusals`,
]

/** Errors: HOST_NOT_WRITABLE where it can't be made, or is not root's alone. */
export function requireStateFolder(): void {
  if (process.geteuid!() !== 0) throw notWritable(STATE, 'it is root that the engines run the hook as')
  try {
    makeFolder(STATE)
  } catch (error) {
    if (!hasErrno(error, 'EACCES', 'EPERM', 'EROFS', 'ENOENT')) throw error
    throw notWritable(STATE, 'it cannot be made', error)
  }
  const { uid, mode } = lstatSync(STATE)
  if (uid !== 0 || (mode & 0o022) !== 0) throw notWritable(STATE, 'others than root can write to it')
}

export function notWritable(path: string, reason: string, cause?: unknown): EnvdError {
  return new EnvdError('HOST_NOT_WRITABLE', `cannot use ${path}: ${reason}`, { details: { path }, cause })
}
