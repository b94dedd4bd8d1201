import type { ReadyEnvironment } from '../../../cache/environment/find-environment.ts'
import { findUndamaged } from '../../../cache/environment/find-undamaged.ts'
import { undoRemoval } from '../../../cache/environment/remove-environment.ts'
import { type Healing, healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { pendingFindings } from '../../../cache/verify/record/damage-record.ts'
import { bringPackages } from './bring-packages.ts'
import { type Build, keysOf } from './build-environment.ts'
import { findPackages } from './wanted-packages.ts'
import { withStaging } from './with-staging.ts'

/**
 * The environment as it was published, or null where it has to be built. What verification found damaged is healed
 * first, from the store or, where that has lost a content, from the index; one that can't be healed stays until the
 * new one takes its place. Call it with the key's build lock.
 */
export async function findWhole(build: Build): Promise<ReadyEnvironment | null> {
  const { key, report } = build
  const { volume, signal } = build.context
  undoRemoval(volume, key)
  if (pendingFindings(volume, key) === null) return findUndamaged(volume, key)
  report({ phase: 'link', message: 'healing what verification found' })
  const first = await healEnvironment(volume, key, signal)
  const healing = first.state === 'bring' ? await bringAndHeal(build) : first
  return healing.state === 'whole' ? findUndamaged(volume, key) : null
}

async function bringAndHeal(build: Build): Promise<Healing> {
  const { volume, signal } = build.context
  const { missing } = findPackages(volume, build.inputs)
  if (missing.length > 0) {
    await withStaging(volume, keysOf(build), staging => bringPackages(build, staging, missing))
  }
  return healEnvironment(volume, build.key, signal)
}
