import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readlinkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { hasErrno, onMachine } from '../../../cache/disk/machine-error.ts'
import type { ArtifactRow } from '../../../src/api/artifacts.ts'
import { artifactVariables } from '../../../src/artifact/place.ts'
import { xdgFolder } from '../../../src/config/variables.ts'
import { CONTAINER } from '../../../src/mount/mount-plan.ts'

/**
 * Gives a process on this host what a container gets of a task's artifacts, and returns the variables that lead there:
 * a folder of links in the user's cache,
 *
 *     $XDG_CACHE_HOME/envd/artifacts/<digest>/hub/models--org--name -> <volume>/artifacts/hub/<key>/tree
 *     $XDG_CACHE_HOME/envd/artifacts/<digest>/<name>                -> <volume>/artifacts/url/<key>/tree
 *
 * and hub/version.txt, without which transformers of 2024 take the cache for one of 2022 and warn. Named by what leads
 * where, it is the same for every process with these artifacts. It can be deleted; a link that is missing or another is
 * made again. Errors: IO.
 */
export function gatherArtifacts(rows: readonly ArtifactRow[]): Record<string, string> {
  const links = rows.flatMap(({ path, destination }) =>
    path === null ? [] : [[destination.slice(CONTAINER.artifacts.length + 1), path] as const],
  )
  const digest = createHash('sha256').update(JSON.stringify(links.toSorted()))
  const cache = xdgFolder(process.env, 'XDG_CACHE_HOME', homedir())
  const folder = join(cache, 'envd', 'artifacts', digest.digest('hex').slice(0, 16))
  for (const [name, target] of links) onMachine(folder, () => link(join(folder, name), target))
  if (rows.some(({ kind }) => kind === 'hub')) onMachine(folder, () => noteVersion(join(folder, 'hub')))
  return Object.assign({}, ...rows.map(row => artifactVariables(row, folder)))
}

function link(place: string, target: string): void {
  if (targetOf(place) === target) return
  mkdirSync(dirname(place), { recursive: true })
  const temporary = `${place}.${randomUUID()}`
  symlinkSync(target, temporary)
  renameSync(temporary, place)
}

/** transformers 4.46, utils/hub.py. */
function noteVersion(hub: string): void {
  try {
    writeFileSync(join(hub, 'version.txt'), '1', { flag: 'wx' })
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
  }
}

function targetOf(place: string): string | null {
  try {
    return readlinkSync(place)
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EINVAL', 'ENOTDIR')) return null
    throw error
  }
}
