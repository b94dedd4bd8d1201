import type { ErrorBody } from '../../../src/api/prepare.ts'
import { asEnvdError, EnvdError } from '../../../src/error.ts'

export function toBody(error: unknown): ErrorBody {
  return asEnvdError(error).toJSON()
}

export function fromBody({ code, message, hint, details }: ErrorBody): EnvdError {
  return new EnvdError(code, message, { hint, details })
}
