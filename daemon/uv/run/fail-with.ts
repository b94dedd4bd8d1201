import type { Distribution } from '../../../src/closure/closure.ts'
import { EnvdError } from '../../../src/error.ts'
import { classifyFailure } from './classify-failure.ts'

/** Throws what uv's output says. */
export function failWith(output: string, distributions: readonly Distribution[]): never {
  const { code, message, details } = classifyFailure(output, distributions)
  throw new EnvdError(code, message, { details })
}
