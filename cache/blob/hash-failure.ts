import { EnvdError } from '../../src/error.ts'
import { machineError } from '../disk/machine-error.ts'
import type { HashAnswer } from './hash-job.ts'
import { linkError } from './link/link-error.ts'

/** What to throw for a file that a thread could not hash, or make a blob. */
export function hashFailure(
  { place }: { readonly place: string | Buffer },
  failed: NonNullable<HashAnswer['failed']>,
): unknown {
  const { code, syscall, message, dest } = failed
  const path = place.toString()
  if (code === undefined) return new EnvdError('IO', `${path}: ${message}`, { details: { path } })
  const error = Object.assign(new Error(message), { code, syscall })
  return dest === undefined ? machineError(error, path) : linkError(error, path, dest)
}
