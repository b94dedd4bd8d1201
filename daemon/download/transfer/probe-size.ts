import type { DownloadJob } from '../download-job.ts'
import { refusal } from '../http/refusals.ts'
import { retrying } from '../retrying.ts'
import type { TransferContext } from './transfer-file.ts'

/** What a HEAD says of the size, where the server answers one and sends ranges; else null: then it comes as one. */
export function probeSize(
  { url, authorization }: DownloadJob,
  { client, signal, conduct, onNote }: TransferContext,
): Promise<number | null> {
  const ask = async () => {
    const answer = await client.send({ method: 'HEAD', url, authorization, signal })
    await answer.body.dump()
    if (answer.status === 403 || answer.status === 405 || answer.status === 501) return null
    if (answer.status !== 200) throw refusal(answer, url)
    const length = answer.header('content-length')
    const ranges = answer.header('accept-ranges') === 'bytes'
    return ranges && length !== null && /^\d+$/.test(length) ? Number(length) : null
  }
  return retrying(ask, {
    ...{ signal, firstPause: conduct.firstPause },
    progress: () => 0,
    onPause: (why, pause) => onNote(`${why}; again in ${(pause / 1000).toFixed(1)} s`),
  })
}
