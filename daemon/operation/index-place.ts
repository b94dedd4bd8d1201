import { homedir } from 'node:os'
import { join } from 'node:path'
import { indexFile } from '../../cache/index/index-file.ts'
import type { IndexPlace } from '../../cache/index/with-index.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'

/** The index of a volume in this user's cache (XDG Base Directory Specification: relative values are ignored). */
export function indexPlace({ id }: Volume): IndexPlace {
  const named = process.env.XDG_CACHE_HOME
  const cacheHome = named?.startsWith('/') ? named : join(homedir(), '.cache')
  return {
    file: indexFile(cacheHome, id),
    note: line => process.stderr.write(`envd: ${line}\n`),
  }
}
