import { EnvdError } from '../../../src/error.ts'
import { runTool } from '../../tool/run-tool.ts'

/**
 * Copies a folder's content with its modes, times and links into an empty one, sharing blocks where the file system can.
 * The copy belongs to this user. Errors: DISK_FULL, IO, the signal's reason.
 */
export async function copyFolder(from: string, to: string, signal: AbortSignal): Promise<void> {
  const options = ['--archive', '--no-preserve=ownership,context', '--reflink=auto']
  const { failed, said } = await runTool({
    ...{ tool: 'cp', purpose: 'to copy a checkout', environment: process.env, signal },
    args: [...options, '--', `${from}/.`, to],
  })
  if (!failed) return
  const full = /no space left on device|disk quota exceeded/i.test(said)
  throw new EnvdError(full ? 'DISK_FULL' : 'IO', `cannot copy ${from}: ${said.split('\n', 1)[0]}`, {
    details: { from, said },
  })
}
