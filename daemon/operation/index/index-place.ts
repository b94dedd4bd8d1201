import { homedir } from 'node:os'
import { indexFile } from '../../../cache/index/index-file.ts'
import type { IndexPlace } from '../../../cache/index/with-index.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { xdgFolder } from '../../../src/config/variables.ts'

/** The index of a volume in this user's cache. */
export function indexPlace({ id }: Volume, note: IndexPlace['note']): IndexPlace {
  return { file: indexFile(xdgFolder(process.env, 'XDG_CACHE_HOME', homedir()), id), note }
}
