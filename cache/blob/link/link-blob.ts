import { linkSync, statSync } from 'node:fs'
import { hasErrno } from '../../disk/machine-error.ts'

/** For tests: file systems that allow so few links (some network ones 177) are not at hand. */
const simulatedLimit = Number(process.env.ENVD_LINK_LIMIT ?? Number.POSITIVE_INFINITY)

/** `exists`: something has that name already. `full`: the blob has as many links as its file system allows. */
export type LinkOutcome = 'linked' | 'exists' | 'full'

/** One more link to a blob. Throws system errors. */
export function linkBlob(blob: string | Buffer, to: string | Buffer): LinkOutcome {
  try {
    if (simulatedLimit !== Number.POSITIVE_INFINITY && statSync(blob).nlink >= simulatedLimit) return 'full'
    linkSync(blob, to)
    return 'linked'
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return 'exists'
    if (hasErrno(error, 'EMLINK')) return 'full'
    throw error
  }
}
