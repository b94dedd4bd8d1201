import { EnvdError } from '../../../src/error.ts'

/** Once more where what was prepared was removed before it was claimed. */
export async function againWhereRemoved<Result>(attempt: () => Promise<Result>): Promise<Result> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'ENVIRONMENT_NOT_READY') return attempt()
    throw error
  }
}
