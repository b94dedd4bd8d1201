import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claimMount } from '../../../cache/lease/claim-mount.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import { removeLease } from '../../../cache/lease/write-lease.ts'
import { SUMMARY } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import type { HookFacts } from '../../../src/mount/hook/hook-facts.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'

/**
 * Claims what the plan mounts until the containers that start have leases of their own, and hands `publish` what their
 * hook must know; if that fails, the claim is given back. Returns it; null: none can be written. Errors:
 * ENVIRONMENT_NOT_READY (it was removed meanwhile: prepare again), and those of `claimMount`.
 */
export function claimPlan(
  volume: Volume,
  plan: MountPlan,
  publish: (facts: HookFacts) => void,
): LeaseRecord | null {
  const needs = plan.mounts.flatMap(({ kind, source, layers = [] }) => [
    ...layers,
    kind === 'environment' ? join(dirname(source), SUMMARY) : source,
  ])
  const lease = claimUnlessReadOnly(volume, plan)
  try {
    for (const path of needs) requireThere(plan, path)
    publish({
      ...{ task: plan.task, volume: volume.root, needs, driver: plan.driver },
      environment: plan.mounts.flatMap(({ kind, source, layers = [] }) =>
        kind === 'environment' ? [...layers, source] : [],
      ),
      readOnly: plan.mounts.map(({ destination }) => destination),
      lease: lease && sameForContainers(lease),
    })
    return lease
  } catch (error) {
    if (lease !== null) removeLease(volume, lease)
    throw error
  }
}

function requireThere({ task }: MountPlan, path: string): void {
  if (existsSync(path)) return
  throw new EnvdError('ENVIRONMENT_NOT_READY', `${path} is gone: it was removed a moment ago`, {
    details: { task, path },
  })
}

function sameForContainers({ keys, staging, host, hostName, fence }: LeaseRecord) {
  return { keys, staging, host, hostName, fence }
}

/** On a volume that is mounted read-only no claim can be written, and nothing on this host can remove. */
function claimUnlessReadOnly(volume: Volume, { task, leased }: MountPlan): LeaseRecord | null {
  try {
    return claimMount(volume, task, leased)
  } catch (error) {
    if (error instanceof EnvdError && error.code === 'VOLUME_READ_ONLY') return null
    throw error
  }
}
