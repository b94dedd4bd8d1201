import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeForBoot } from '../../../cache/disk/durable.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { taskFile, volumeInTaskFile } from '../../../src/mount/hook/task-file.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { claimPlan } from '../claim/claim-plan.ts'
import { requireFree } from '../claim/require-free.ts'
import { requireStateFolder, taskFilesFolder } from '../state-folder.ts'
import { INSTALLED_PROGRAM } from './hook-file.ts'

/**
 * Leaves for the hook of hooks.d what a container with the annotation `dev.envd.task=<task>` gets, where the hook is
 * installed; nothing otherwise. Claims it for ten minutes. Returns what to say about it. Errors: those of `claimPlan`,
 * HOST_NOT_WRITABLE, CDI_DEVICE_TAKEN.
 */
export function publishTask(volume: Volume, plan: MountPlan): string[] {
  if (process.geteuid!() !== 0 || !existsSync(INSTALLED_PROGRAM)) return []
  requireStateFolder()
  const annotation = `dev.envd.task=${plan.task}`
  const path = join(taskFilesFolder, `${plan.task}.sh`)
  const before = existsSync(path) ? volumeInTaskFile(readFileSync(path, 'utf8')) : null
  requireFree(volume, plan.task, annotation, before)
  claimPlan(volume, plan, facts => writeForBoot(path, taskFile(plan, facts), { mode: 0o644 }))
  return [`containers with the annotation ${annotation} get it on this host`]
}
