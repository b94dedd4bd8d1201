import { EnvdError } from '../../../src/error.ts'
import { Again } from '../retrying.ts'
import { type Answer, withoutQuery } from './send.ts'

/** Statuses after which the same request may succeed (RFC 9110, section 15; RFC 6585 for 429). */
const passing = new Set([408, 425, 429, 500, 502, 503, 504])

/**
 * What to throw for an answer that is neither the file nor a part of it. A signed URL that has expired refuses with 403:
 * the next attempt asks for a new one. The hub says more in X-Error-Code (huggingface_hub, hf_raise_for_status).
 */
export function refusal(answer: Pick<Answer, 'status' | 'header' | 'redirected'>, url: string): Error {
  const { status, redirected } = answer
  const place = withoutQuery(url)
  const details = { url: place, status }
  if (passing.has(status) || (redirected && (status === 401 || status === 403))) {
    return new Again(`${place} answers ${status}`, { pause: retryAfter(answer.header('retry-after')) })
  }
  const code = answer.header('x-error-code')
  if (code === 'GatedRepo') {
    return new EnvdError('ARTIFACT_UNAUTHORIZED', `${place} is gated, and this token may not read it`, {
      details,
    })
  }
  if (status === 401 || status === 403) {
    return new EnvdError('ARTIFACT_UNAUTHORIZED', `${place} may not be read (${status})`, { details })
  }
  if (status === 404 || status === 410) {
    const what = code === null ? 'is not there' : (missing[code] ?? `is not there (${code})`)
    return new EnvdError('ARTIFACT_NOT_FOUND', `${place}: ${what}`, { details })
  }
  return new EnvdError('ARTIFACT_DOWNLOAD_FAILED', `${place} answers ${status}`, { details })
}

const missing: Readonly<Record<string, string>> = {
  RepoNotFound: 'there is no such repository, or it is private',
  RevisionNotFound: 'the repository has no such revision',
  EntryNotFound: 'the revision has no such file',
}

/** Seconds, or a date (RFC 9110, section 10.2.3), as milliseconds from now; null for what is neither. */
export function retryAfter(value: string | null, now = Date.now()): number | null {
  if (value === null) return null
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
