import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { claimMount } from '../../../cache/lease/claim-mount.ts'
import type { LeaseRecord } from '../../../cache/lease/lease-record.ts'
import { expiry, removeLease } from '../../../cache/lease/write-lease.ts'
import { SUMMARY } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { EnvdError } from '../../../src/error.ts'
import type { HookFacts } from '../../../src/mount/hook/hook-facts.ts'
import type { MountPlan } from '../../../src/mount/mount-plan.ts'

export interface ClaimedPlan {
  readonly facts: HookFacts
  /** ISO 8601: a container that starts until then is sure to find all there. */
  readonly until: string
}

/**
 * Claims what the plan mounts until the containers that start have leases of their own, and says what their hook must
 * know. Errors: ENVIRONMENT_NOT_READY (it was removed meanwhile: prepare again), and those of `claimMount`.
 */
export function claimPlan(volume: Volume, plan: MountPlan): ClaimedPlan {
  const needs = plan.mounts.flatMap(({ kind, source, layers = [] }) => [
    ...layers,
    kind === 'environment' ? join(dirname(source), SUMMARY) : source,
  ])
  const lease = claimUnlessReadOnly(volume, plan)
  const missing = needs.find(path => !existsSync(path))
  if (missing !== undefined) {
    if (lease !== null) removeLease(volume, lease)
    throw new EnvdError('ENVIRONMENT_NOT_READY', `${missing} is gone: it was removed a moment ago`, {
      details: { task: plan.task, path: missing },
    })
  }
  const facts = {
    ...{ task: plan.task, volume: volume.root, needs },
    readOnly: plan.mounts.map(({ destination }) => destination),
    lease: lease && sameForContainers(lease),
  }
  return { facts, until: lease?.expires ?? expiry() }
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
