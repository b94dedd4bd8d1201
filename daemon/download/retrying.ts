import { setTimeout as sleep } from 'node:timers/promises'
import { EnvdError } from '../../src/error.ts'

/** An attempt failed and another one may not. */
export class Again extends Error {
  /** What the server asked for, in milliseconds. */
  readonly pause: number | null

  constructor(message: string, { pause = null, cause }: { pause?: number | null; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.pause = pause
  }
}

export interface RetryOptions {
  readonly signal: AbortSignal
  /** Milliseconds before the second attempt. */
  readonly firstPause: number
  /** Grows while attempts bring something: those that do are not counted against them. */
  progress(): number
  readonly onPause?: (why: string, milliseconds: number) => void
}

const mostAttempts = 6
const longestPause = 30_000
/** A server that asks for more is not waited for. */
const longestAsked = 600_000

/** Runs attempts until one does not throw `Again`. Errors: ARTIFACT_DOWNLOAD_FAILED with the last reason. */
export async function retrying<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, firstPause } = options
  let before = options.progress()
  for (let failed = 1; ; failed++) {
    signal.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Again)) throw error
      if (options.progress() > before) failed = 1
      before = options.progress()
      const asked = error.pause ?? 0
      if (failed >= mostAttempts || asked > longestAsked) throw givenUp(error, failed)
      const backOff = Math.min(longestPause, firstPause * 2 ** (failed - 1)) * (0.75 + Math.random() / 2)
      const pause = Math.max(asked, backOff)
      options.onPause?.(error.message, pause)
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

function givenUp({ message, pause, cause }: Again, attempts: number): EnvdError {
  const wait = pause === null ? '' : `; the server asks to wait ${Math.round(pause / 1000)} s`
  return new EnvdError('ARTIFACT_DOWNLOAD_FAILED', `${message} (${attempts} attempts${wait})`, { cause })
}
