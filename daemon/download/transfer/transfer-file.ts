import { rmSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { EnvdError } from '../../../src/error.ts'
import type { Conduct } from '../conduct.ts'
import type { Downloaded, DownloadJob } from '../download-job.ts'
import { type Client, withoutQuery } from '../http/send.ts'
import { retrying } from '../retrying.ts'
import { BeginAgain, downloadPart, type PartWork } from './download-part.ts'
import { openPartialFile, type PartialFile } from './partial-file.ts'
import { partsFor } from './parts.ts'
import { probeSize } from './probe-size.ts'
import { reserveSpace } from './reserve-space.ts'
import { takeWhole } from './take-whole.ts'

export interface TransferContext {
  readonly client: Client
  readonly signal: AbortSignal
  readonly conduct: Pick<Conduct, 'firstPause' | 'partsFrom'>
  /** Bytes that came, and by how much more of the file is there. */
  onProgress(received: number, there: number): void
  onNote(message: string): void
}

/** So often a file may turn out to be another one. */
const mostBeginnings = 5

/**
 * Brings one file and proves it: what is there already is read and hashed again, the rest is downloaded, in parts where
 * it is large, and the whole must match its digest. What doesn't is deleted. Cut off, `file` holds what came.
 * Errors: ARTIFACT_DIGEST, ARTIFACT_DOWNLOAD_FAILED, ARTIFACT_UNAUTHORIZED, ARTIFACT_NOT_FOUND, DISK_FULL, IO, the
 * signal's reason.
 */
export async function transferFile(job: DownloadJob, context: TransferContext): Promise<Downloaded> {
  const { file } = job
  const size = job.size ?? (await probeSize(job, context))
  const whole = await takeWhole({ ...job, size })
  if (whole !== null) {
    context.onProgress(0, whole.size)
    return whole
  }
  const count = partsFor(size, context.conduct.partsFrom)
  const partial = openPartialFile(file, { size, expected: job.expected, count })
  try {
    const found = thereIn(partial)
    context.onProgress(0, found)
    if (size !== null) await reserveSpace(file, size)
    let received = 0
    const onBytes = (bytes: number) => {
      received += bytes
      context.onProgress(bytes, bytes)
    }
    for (let again = false; ; again = true) {
      await bring({ ...job, size }, partial, context, onBytes)
      const { sha256, matches } = partial.finish()
      if (matches) return { sha256, size: thereIn(partial), received }
      // From one answer and yet wrong: so is the server. Otherwise it may be the pieces that don't go together.
      if (again || partial.pieces === 1) throw mismatch(job, sha256)
      context.onNote(`${withoutQuery(job.url)}: what was there does not go together; beginning again`)
      beginAgain(partial, count, context)
    }
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'ARTIFACT_DIGEST')
      onMachine(file, () => rmSync(file, { force: true }))
    throw error
  } finally {
    partial.close()
  }
}

async function bring(
  job: DownloadJob,
  partial: PartialFile,
  context: TransferContext,
  onBytes: (count: number) => void,
): Promise<void> {
  for (let beginning = 1; ; beginning++) {
    try {
      await partial.catchUp(context.signal)
      await bringParts(job, partial, context, onBytes)
      return
    } catch (error) {
      if (!(error instanceof BeginAgain)) throw error
      if (beginning === mostBeginnings) {
        throw new EnvdError('ARTIFACT_DOWNLOAD_FAILED', error.message, { cause: error })
      }
      context.onNote(error.message)
      beginAgain(partial, error.ranges ? partsFor(job.size, context.conduct.partsFrom) : 1, context)
    }
  }
}

/** All parts side by side; the first failure ends the others. */
async function bringParts(
  job: DownloadJob,
  partial: PartialFile,
  context: TransferContext,
  onBytes: (count: number) => void,
): Promise<void> {
  const { signal } = context
  const [only, ...more] = partial.parts
  // Nearly every file: nothing to end beside it.
  if (more.length === 0) return bringPart(job, { partial, part: only!, signal, onBytes }, context)
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  await Promise.all(
    partial.parts.map(part =>
      bringPart(job, { partial, part, signal: both, onBytes }, context).catch(error => stop.abort(error)),
    ),
  )
  signal.throwIfAborted()
  stop.signal.throwIfAborted()
}

async function bringPart(
  job: DownloadJob,
  work: Omit<PartWork, 'client'>,
  { client, conduct, onNote }: TransferContext,
): Promise<void> {
  const { partial, part, signal } = work
  await retrying(() => downloadPart(job, { client, ...work }), {
    ...{ signal, firstPause: conduct.firstPause },
    progress: () => part.done,
    onPause: (why, pause) => onNote(`${why}; again in ${(pause / 1000).toFixed(1)} s`),
  })
  await partial.catchUp(signal)
}

function beginAgain(partial: PartialFile, parts: number, { onProgress }: TransferContext): void {
  onProgress(0, -thereIn(partial))
  partial.etag = null
  partial.restart(parts)
}

function thereIn({ parts }: PartialFile): number {
  return parts.reduce((bytes, { start, done }) => bytes + done - start, 0)
}

function mismatch({ url, expected, size }: DownloadJob, sha256: string): EnvdError {
  const place = withoutQuery(url)
  const wanted = 'sha256' in expected ? `sha256 ${expected.sha256}` : `git blob ${expected.gitBlob}`
  return new EnvdError('ARTIFACT_DIGEST', `${place} has other contents than are pinned: ${wanted}`, {
    details: { url: place, expected, sha256, size },
  })
}
