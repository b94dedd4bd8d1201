import { EnvdError, type ErrorCode, type ErrorDetails, formatPlace, type Place } from '../../error.ts'

/** Throws what a lock is refused for, with its place in the message and in the details. */
export function refuse(
  code: ErrorCode,
  place: Place,
  message: string,
  options: { readonly hint?: string; readonly details?: ErrorDetails } = {},
): never {
  throw new EnvdError(code, `${formatPlace(place)}: ${message}`, {
    ...options,
    details: { ...place, ...options.details },
  })
}
