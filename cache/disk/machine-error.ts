import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { EnvdError } from '../../src/error.ts'

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EIO: 'the disk reported an error',
  ENOENT: 'it is not there',
  ENOTDIR: 'part of the path is not a folder',
  EMFILE: 'this process has too many open files',
  ENFILE: 'the machine has too many open files',
  ENAMETOOLONG: 'the name is too long for the file system',
  ESTALE: 'the network file system lost it',
}

/**
 * What to throw for an error of a system call on `path`: DISK_FULL (with the bytes that are free),
 * VOLUME_READ_ONLY or IO. An error that is none of the system's is returned as it is.
 */
export function machineError(error: unknown, path: string): unknown {
  if (!isSystemError(error)) return error
  const place = typeof error.path === 'string' ? error.path : path
  const details = { path: place, errno: error.code, call: error.syscall }
  const options = { details, cause: error }
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT': {
      const freeBytes = freeBytesAt(place) ?? freeBytesAt(path)
      const what = error.code === 'EDQUOT' ? 'The disk quota is used up' : 'The disk is full'
      const free = freeBytes === null ? '' : ` (${freeBytes} bytes free)`
      return new EnvdError('DISK_FULL', `${what}: cannot write ${place}${free}`, {
        details: { ...details, freeBytes },
        cause: error,
      })
    }
    case 'EROFS':
      return new EnvdError('VOLUME_READ_ONLY', `The file system is read-only: cannot write ${place}`, options)
    default: {
      const reason = reasons[error.code] ?? error.message
      return new EnvdError('IO', `${error.syscall} ${place}: ${reason} (${error.code})`, options)
    }
  }
}

/** Runs `action` with its system errors translated. */
export function onMachine<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw machineError(error, path)
  }
}

/** True for an error of a system call with that code. */
export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  return isSystemError(error) && codes.includes(error.code)
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: unknown
}

function isSystemError(error: unknown): error is SystemError {
  return (
    error instanceof Error &&
    'code' in error &&
    typeof error.code === 'string' &&
    'syscall' in error &&
    typeof error.syscall === 'string'
  )
}

/** Bytes a user may still write where `path` is or would be. */
function freeBytesAt(path: string): number | null {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize } = statfsSync(folder)
      return bavail * bsize
    } catch {
      if (folder === dirname(folder)) return null
    }
  }
}
