import { EnvdError } from '../../../src/error.ts'
import type { DownloadJob } from '../download-job.ts'
import { refusal } from '../http/refusals.ts'
import { type Answer, type Client, connectionLost, withoutQuery } from '../http/send.ts'
import { Again } from '../retrying.ts'
import type { PartialFile } from './partial-file.ts'
import type { Part } from './parts.ts'

/** What is here does not go on: the file is another now, or the server sends no ranges. */
export class BeginAgain extends Error {
  readonly ranges: boolean

  constructor(message: string, ranges: boolean) {
    super(message)
    this.ranges = ranges
  }
}

/**
 * One attempt to bring the rest of a part. A range is asked for with If-Range (RFC 9110, section 13.1.5) where the
 * server's name for the contents is known, and what comes is checked: Content-Range, ETag, length.
 * Errors: Again, BeginAgain, ARTIFACT_UNAUTHORIZED, ARTIFACT_NOT_FOUND, ARTIFACT_DIGEST, DISK_FULL, IO.
 */
export async function downloadPart(
  { url, authorization, size }: DownloadJob,
  { client, partial, part, signal, onBytes }: PartWork,
): Promise<void> {
  if (part.done >= part.end) return
  const isWhole = part.done === 0 && partial.parts.length === 1
  const last = part.end === Number.POSITIVE_INFINITY ? '' : part.end - 1
  const answer = await client.send({
    ...{ method: 'GET', url, authorization, signal },
    headers: isWhole
      ? {}
      : {
          range: `bytes=${part.done}-${last}`,
          ...(partial.etag === null ? {} : { 'if-range': partial.etag }),
        },
  })
  try {
    check(answer, { url, size, partial, part, isWhole })
  } catch (error) {
    await answer.body.dump().catch(() => {})
    throw error
  }
  partial.pieces += 1
  await receive(answer, { url, partial, part, signal, onBytes })
}

export interface PartWork {
  readonly client: Client
  readonly partial: PartialFile
  readonly part: Part
  readonly signal: AbortSignal
  onBytes(count: number): void
}

interface Asked {
  readonly url: string
  readonly size: number | null
  readonly partial: PartialFile
  readonly part: Part
  readonly isWhole: boolean
}

function check(answer: Answer, { url, size, partial, part, isWhole }: Asked): void {
  const { status } = answer
  if (status === 416) throw new BeginAgain(`${withoutQuery(url)} is shorter now`, true)
  if (status !== 200 && status !== 206) throw refusal(answer, url)
  const etag = strongEtag(answer.header('etag'))
  if (partial.etag !== null && etag !== null && etag !== partial.etag) {
    throw new BeginAgain(`${withoutQuery(url)} changed while it was downloaded`, true)
  }
  if (status === 200 && !isWhole) throw new BeginAgain(`${withoutQuery(url)} cannot be had in parts`, false)
  if (status === 206) checkRange(answer.header('content-range'), part, size, url)
  else checkLength(answer.header('content-length'), part, size, url)
  partial.etag ??= etag
}

/** `bytes 0-9/10` (RFC 9110, section 14.4), the range that was asked for and nothing else. */
function checkRange(value: string | null, part: Part, size: number | null, url: string): void {
  const [, first, last, whole] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(value ?? '') ?? []
  const total = whole === '*' || whole === undefined ? null : Number(whole)
  if (size !== null && total !== null && total !== size) throw otherSize(url, total, size)
  const wanted = Math.min(part.end, total ?? part.end) - 1
  if (Number(first) === part.done && (Number(last) === wanted || wanted === Number.POSITIVE_INFINITY)) {
    if (part.end === Number.POSITIVE_INFINITY) part.end = Number(last) + 1
    return
  }
  throw new BeginAgain(`${withoutQuery(url)} answers with another part than the one asked for`, false)
}

function checkLength(value: string | null, part: Part, size: number | null, url: string): void {
  const length = value !== null && /^\d+$/.test(value) ? Number(value) : null
  if (length === null) return
  if (size !== null && length !== size) throw otherSize(url, length, size)
  part.end = length
}

function otherSize(url: string, length: number, size: number): EnvdError {
  const place = withoutQuery(url)
  return new EnvdError('ARTIFACT_DIGEST', `${place} has ${length} bytes; ${size} are pinned`, {
    details: { url: place, length, size },
  })
}

/** A weak one (`W/`) says nothing about bytes. */
function strongEtag(etag: string | null): string | null {
  return etag?.startsWith('"') ? etag : null
}

/** The body is taken as it comes, without a step between: written, hashed, counted. */
function receive(
  answer: Answer,
  { url, partial, part, signal, onBytes }: Omit<PartWork, 'client'> & { url: string },
): Promise<void> {
  const { body } = answer
  return new Promise((resolve, reject) => {
    const end = (error: unknown) => {
      reject(signal.aborted ? signal.reason : error)
      body.on('error', () => {}).destroy()
    }
    body.on('data', (chunk: Buffer) => {
      try {
        if (part.done + chunk.length > part.end)
          throw new Again(`${withoutQuery(url)} sends more than it announced`)
        partial.write(part, chunk)
        onBytes(chunk.length)
      } catch (error) {
        end(error)
      }
    })
    body.on('error', error => end(connectionLost(error, url)))
    body.on('end', () => {
      if (part.end === Number.POSITIVE_INFINITY) part.end = part.done
      if (part.done >= part.end) resolve()
      else end(new Again(`${withoutQuery(url)}: the connection ended early`))
    })
  })
}
