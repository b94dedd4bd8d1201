import { findEnvironment, type ReadyEnvironment } from '../../../cache/environment/find-environment.ts'
import { undoRemoval } from '../../../cache/environment/remove-environment.ts'
import { pendingFindings } from '../../../cache/verify/damage-record.ts'
import { healEnvironment } from '../../../cache/verify/heal/heal-environment.ts'
import { setEnvironmentAside } from '../../../cache/verify/heal/set-aside.ts'
import { bringPackages } from './bring-packages.ts'
import type { Build } from './build-environment.ts'
import { findPackages } from './wanted-packages.ts'
import { withStaging } from './with-staging.ts'

/**
 * The environment as it was published, or null where it has to be built. What verification found damaged is healed
 * first, from the store or, where that has lost a content, from the index. Call it with the key's build lock.
 */
export async function findWhole(build: Build): Promise<ReadyEnvironment | null> {
  const { key, report } = build
  const { volume } = build.context
  undoRemoval(volume, key)
  const ready = findEnvironment(volume, key)
  if (!ready || pendingFindings(volume, key) === null) return ready
  report({ phase: 'link', message: 'healing what verification found' })
  const first = await healEnvironment(volume, key)
  const healing = first.state === 'bring' ? await bringAndHeal(build) : first
  return healing.state === 'whole' ? findEnvironment(volume, key) : null
}

async function bringAndHeal(build: Build) {
  const { volume } = build.context
  const { missing } = findPackages(volume, build.inputs)
  if (missing.length > 0) {
    await withStaging(volume, [build.key], staging => bringPackages(build, staging, missing))
  }
  const healing = await healEnvironment(volume, build.key)
  if (healing.state === 'bring') setEnvironmentAside(volume, build.key)
  return healing
}
