import { EnvdError } from '../error.ts'
import type { Lock } from '../lock/lock.ts'
import { supportedTags } from '../tag/supported-tags.ts'
import type { Target } from '../target/target.ts'
import type { Closure, Distribution, LeftOut } from './closure.ts'
import { distributionOf } from './distribution.ts'
import { selectPackages } from './select-packages.ts'
import type { Selection } from './selection.ts'

/**
 * The exact distributions that a lock selects for a target. Throws as `selectPackages`, and LOCK_NO_DIGEST,
 * LOCK_WEAK_DIGEST, LOCK_SYNTAX, FILE_NOT_ON_INDEX and NO_FILE_FITS for a package's file. A requirements lock
 * must have its files (`withFiles`).
 */
export function selectClosure(lock: Lock, selection: Selection, target: Target): Closure {
  if (lock.needsFiles) throw new EnvdError('BUG', `the file names of ${lock.file} are not known yet`)
  const tags = supportedTags(target)
  const distributions: Distribution[] = []
  const leftOut: LeftOut[] = []
  for (const locked of selectPackages(lock, selection, target)) {
    const distribution = distributionOf(locked, target, tags)
    if (distribution !== null) distributions.push(distribution)
    const { name, source } = locked
    if (source.kind === 'member') leftOut.push({ name, kind: source.member, path: source.path })
  }
  return { distributions, leftOut }
}
