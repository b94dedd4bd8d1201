import type { BuildRequest } from '../../../src/api/report.ts'
import { EnvdError } from '../../../src/error.ts'
import { parseSince } from '../../../src/report/build/parse-since.ts'
import type { GivenOptions } from '../../arguments/invocation.ts'

/** What `--since` and `--share` ask for. Errors: USAGE. */
export function historyRequest(options: GivenOptions): BuildRequest {
  const [since] = options.get('since') ?? []
  const [share] = options.get('share') ?? []
  return {
    sinceMs: since === undefined ? null : sinceOf(since),
    share: share === undefined ? null : shareOf(share),
  }
}

function sinceOf(text: string): number {
  const at = parseSince(text, Date.now())
  if (at !== null) return at
  throw new EnvdError('USAGE', `--since takes no ${JSON.stringify(text)}`, {
    hint: 'It is a day (2026-01-31), a time (2026-01-31T12:00Z), or how long ago: 90m, 12h, 7d, 4w.',
  })
}

function shareOf(text: string): number {
  const share = Number(text)
  if (/^[\d.]+$/.test(text) && share >= 0 && share <= 1) return share
  throw new EnvdError('USAGE', `--share takes no ${JSON.stringify(text)}`, {
    hint: 'It is a number from 0 to 1: 0.2 where preparing takes a fifth of the time.',
  })
}
