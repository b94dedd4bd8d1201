import { writeForBoot } from '../../../cache/disk/durable.ts'
import { hasErrno } from '../../../cache/disk/machine-error.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { cdiHooks } from '../../../src/mount/hook/cdi-hooks.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { cdiDevice, cdiSpec } from '../../../src/mount/render/cdi.ts'
import { claimPlan } from '../claim/claim-plan.ts'
import { requireFree } from '../claim/require-free.ts'
import { placeHookProgram } from '../hook/hook-program.ts'
import { reap } from '../reap.ts'
import { notWritable } from '../state-folder.ts'
import { CDI_FOLDER, readSpec, specFile } from './spec-files.ts'

/**
 * Makes the device `envd.dev/task=<task>` known to the engines of this host, and claims what it mounts for the ten
 * minutes in which containers start. They see no file or a whole one. It goes with the last claim; what crashes left
 * of others goes now. Returns the file and the claim.
 *
 * Errors: HOST_NOT_WRITABLE, CDI_DEVICE_TAKEN, MOUNT_NOT_EXPRESSIBLE, and those of `claimPlan`.
 */
export function writeCdiSpec(
  volume: Volume,
  plan: MountPlan,
): { readonly path: string; readonly lease: LeaseRecord | null } {
  reap(volume)
  const path = specFile(plan.task)
  requireFree(volume, plan.task, cdiDevice(plan.task), readSpec(plan.task)?.volume ?? null)
  const program = placeHookProgram()
  const lease = claimPlan(volume, plan, facts => {
    const spec = cdiSpec(plan, cdiHooks(facts, { program, spec: path }))
    writeForEngines(path, `${JSON.stringify(spec, null, 2)}\n`)
  })
  return { path, lease }
}

function writeForEngines(path: string, text: string): void {
  try {
    writeForBoot(path, text, { mode: 0o644 })
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!hasErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR')) throw error
    throw notWritable(CDI_FOLDER, 'a spec for the engines of this host cannot be written there', error)
  }
}
