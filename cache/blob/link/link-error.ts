import { EnvdError } from '../../../src/error.ts'
import { hasErrno, machineError } from '../../disk/machine-error.ts'

/**
 * What to throw for an error of link(2): LINK_OTHER_FILE_SYSTEM, LINK_NOT_PERMITTED or LINK_LIMIT, three causes with
 * three remedies; otherwise as machineError.
 */
export function linkError(error: unknown, from: string, to: string): unknown {
  const options = { details: { from, to }, cause: error }
  if (hasErrno(error, 'EXDEV')) {
    return new EnvdError(
      'LINK_OTHER_FILE_SYSTEM',
      `Cannot link ${from} to ${to}: they lie under two mount points`,
      options,
    )
  }
  if (hasErrno(error, 'EPERM')) {
    return new EnvdError('LINK_NOT_PERMITTED', `The kernel does not permit linking ${from} to ${to}`, options)
  }
  if (hasErrno(error, 'EMLINK')) {
    return new EnvdError('LINK_LIMIT', `${from} has as many links as its file system allows`, options)
  }
  return machineError(error, to)
}
