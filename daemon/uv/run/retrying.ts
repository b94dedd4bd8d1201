import { setTimeout as sleep } from 'node:timers/promises'
import { EnvdError } from '../../../src/error.ts'
import type { UvSession } from './uv-session.ts'

/** Seconds before the second and the third try; uv itself has retried each request by then. */
const pauses = [1, 4]

/** Runs `work` again after errors of the network: INDEX_UNREACHABLE and DOWNLOAD_FAILED. */
export async function retrying<T>(
  { signal }: UvSession,
  onMessage: (message: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  for (const pause of pauses) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof EnvdError) || !transient.has(error.code)) throw error
      onMessage(`${error.message}; trying again in ${pause} s`)
      // Those who failed together should not come back together.
      await sleep(pause * 1000 * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    }
  }
  return work()
}

const transient: ReadonlySet<string> = new Set(['INDEX_UNREACHABLE', 'DOWNLOAD_FAILED'])
