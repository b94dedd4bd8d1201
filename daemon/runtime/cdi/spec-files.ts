import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno } from '../../../cache/disk/machine-error.ts'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { liveLeases } from '../../../cache/lease/live-leases.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { CdiSpec } from '../../../src/mount/render/cdi.ts'

/** Of the two folders every engine reads the one for what is made while the host runs (CDI SPEC.md, "Registration"). */
export const CDI_FOLDER = '/var/run/cdi'

/** Both. */
export const CDI_FOLDERS = ['/etc/cdi', CDI_FOLDER] as const

/** Named by vendor and class, as CDI's SPEC.md asks. */
const prefix = 'envd.dev-task-'
const suffix = '.json'

export function specFile(task: string): string {
  return join(CDI_FOLDER, `${prefix}${task}${suffix}`)
}

/** Tasks whose device is known to engines, of whatever volume. */
export function tasksWithSpec(): string[] {
  return namesIn(CDI_FOLDER)
    .filter(name => name.startsWith(prefix) && name.endsWith(suffix))
    .map(name => name.slice(prefix.length, -suffix.length))
}

/** What a task's device says of itself; null: there is no such device, or it is none of envd's making. */
export function readSpec(task: string): { readonly volume: string; readonly takesLeases: boolean } | null {
  try {
    const { devices }: CdiSpec = JSON.parse(readFileSync(specFile(task), 'utf8'))
    const variables = devices[0].containerEdits.hooks?.[0]?.env ?? []
    const variable = (name: string) =>
      variables.find(one => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
    const volume = variable('ENVD_VOLUME')
    return volume === '' ? null : { volume, takesLeases: variable('ENVD_LEASE') !== '' }
  } catch {
    return null
  }
}

/**
 * Removes the task's file unless something claims the task. Moved aside first and claims read second, so that a mount
 * that takes its claim meanwhile keeps its device. What this user may not remove stays.
 */
export function removeUnclaimedSpec(volume: Volume, task: string): void {
  const path = specFile(task)
  const aside = join(CDI_FOLDER, `.removing.${randomUUID()}`)
  try {
    renameSync(path, aside)
    if (liveLeases(volume).some(lease => lease.task === task)) linkUnlessThere(aside, path)
    rmSync(aside, { force: true })
  } catch (error) {
    if (!hasErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'EROFS')) throw error
  }
}

function linkUnlessThere(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error
  }
}
