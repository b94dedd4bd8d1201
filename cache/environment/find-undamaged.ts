import type { Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { pendingFindings } from '../verify/record/damage-record.ts'
import type { At } from '../volume/layout.ts'
import { findEnvironment, type ReadyEnvironment } from './find-environment.ts'

/**
 * The environment if it is ready and nothing is known to be wrong with it, for one small file more to ask for than
 * `findEnvironment`. What is null here, and there all the same, the next build heals or replaces. Errors: IO.
 */
export function findUndamaged(volume: At, key: Key): ReadyEnvironment | null {
  try {
    const ready = findEnvironment(volume, key)
    return ready && pendingFindings(volume, key) === null ? ready : null
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_CORRUPT') return null
    throw error
  }
}
