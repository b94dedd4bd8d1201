import { existsSync, readFileSync } from 'node:fs'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { liveLeases } from '../../../cache/lease/live-leases.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { HookStatus, InstalledHook } from '../../../src/api/hook.ts'
import { tasksWithSpec } from '../cdi/spec-files.ts'
import { readRefusals } from '../refusals.ts'
import { taskFilesFolder } from '../state-folder.ts'
import { HOOKS_FOLDERS, hookFile, hookFileText, INSTALLED_PROGRAM, readHookFiles } from './hook-file.ts'
import { hookProgram } from './hook-program.ts'

const lastRefusals = 10

/** What container engines find on this host, and what the hook did. Null: there is no volume. */
export function hookStatus(volume: Volume | null, folder?: string): HookStatus {
  const folders = folder === undefined ? HOOKS_FOLDERS : [folder]
  const ours = folders.map(hookFile)
  const files = folders.flatMap(readHookFiles)
  return {
    installed: ours.filter(existsSync).map(installedHook),
    malformed: files.flatMap(({ file, problem }) =>
      problem === null || ours.includes(file) ? [] : [{ file, problem }],
    ),
    tasks: namesIn(taskFilesFolder).flatMap(name => (name.endsWith('.sh') ? [name.slice(0, -3)] : [])),
    devices: tasksWithSpec(),
    containers: volume === null ? [] : containersOf(volume),
    refusals: readRefusals().slice(-lastRefusals),
  }
}

function installedHook(file: string): InstalledHook {
  return { file, program: INSTALLED_PROGRAM, problem: problemOf(file) }
}

function problemOf(file: string): string | null {
  if (readFileSync(file, 'utf8') !== hookFileText()) return 'the file is not the one of this version of envd'
  if (!existsSync(INSTALLED_PROGRAM)) return `${INSTALLED_PROGRAM} is missing`
  if (readFileSync(INSTALLED_PROGRAM, 'utf8') !== hookProgram())
    return `${INSTALLED_PROGRAM} is not the one of this version of envd`
  return null
}

function containersOf(volume: Volume): HookStatus['containers'] {
  return liveLeases(volume).flatMap(({ container, task, since }) =>
    container === undefined || task === undefined ? [] : [{ container, task, since }],
  )
}
