import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeLease } from '../../../cache/lease/write-lease.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { cdiHooks } from '../../../src/mount/hook/cdi-hooks.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'
import { cdiDevice } from '../../../src/mount/render/cdi.ts'
import { podmanOptions } from '../../../src/mount/render/podman.ts'
import { removeUnclaimedSpec } from '../cdi/spec-files.ts'
import { writeCdiSpec } from '../cdi/write-spec.ts'
import { claimPlan } from '../claim/claim-plan.ts'
import { hookProgram } from '../hook/hook-program.ts'

/** How one container gets the mounts of a plan, and a hook that checks it and claims them while it runs. */
export interface Attachment {
  /** Options of podman itself. */
  readonly globals: readonly string[]
  /** Options of `podman run`. */
  readonly options: readonly string[]
  /** Ends the claim that lasts until the container has its own. */
  release(): void
}

/**
 * For root, the device that `envd mount --for cdi` makes known. Others can't write what engines read: for them, mounts on
 * the command line, and the same hook from a folder of their own, which lies in `folder`. Errors: those of writeCdiSpec.
 */
export function attachPlan(volume: Volume, plan: MountPlan, folder: string): Attachment {
  return process.geteuid!() === 0 ? attachDevice(volume, plan) : attachMounts(volume, plan, folder)
}

function attachDevice(volume: Volume, plan: MountPlan): Attachment {
  const { lease } = writeCdiSpec(volume, plan)
  return {
    globals: [],
    options: ['--device', cdiDevice(plan.task)],
    release() {
      if (lease === null) return
      removeLease(volume, lease)
      removeUnclaimedSpec(volume, plan.task)
    },
  }
}

function attachMounts(volume: Volume, plan: MountPlan, folder: string): Attachment {
  const options = podmanOptions(plan).flat()
  const [program, hooks] = [join(folder, 'envd-hook'), join(folder, 'hooks.d')]
  const lease = claimPlan(volume, plan, facts => {
    writeFileSync(program, hookProgram())
    mkdirSync(hooks)
    // crun makes these mounts read-only after the hook: it can't look whether they are.
    const unseen = { ...facts, readOnly: [] }
    for (const { hookName, ...hook } of cdiHooks(unseen, { program, spec: null })) {
      const file = { version: '1.0.0', hook, when: { always: true }, stages: [hookName] }
      writeFileSync(join(hooks, `${hookName}.json`), JSON.stringify(file))
    }
  })
  return {
    globals: ['--hooks-dir', hooks],
    options,
    release() {
      if (lease !== null) removeLease(volume, lease)
    },
  }
}
