import { basename } from 'node:path'
import type { Key } from '../../../src/digest.ts'
import { placeIn } from '../../disk/place-in.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { buildLockFile, lockFile } from '../../volume/layout.ts'
import { tryLock, waitForLock } from '../../volume/ofd-lock.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { requireOwner } from '../../volume/require-owner.ts'
import { readEnvironmentParts } from '../environment-parts.ts'
import type { Finding } from '../findings.ts'
import { contentName } from '../problem.ts'
import { damagedContents } from '../record-findings.ts'
import { forgetPackages } from './forget-packages.ts'
import { healContents } from './heal-contents.ts'
import { type Healing, tryToHeal } from './heal-environment.ts'
import { withHealStaging } from './heal-staging.ts'
import { setAside, setEnvironmentAside } from './set-aside.ts'

/**
 * What became of a finding. `next prepare`: the damaged file is in quarantine, or waits in its environment, and the next
 * prepare brings what is needed. `quarantined`: nothing needs it. `busy`: a process builds or removes the environment.
 */
export type Outcome = 'healed' | 'next prepare' | 'quarantined' | 'busy'

/**
 * Heals what can be healed without an index, of findings that are recorded (`recordFindings`). Safe beside builds and
 * containers: each file is replaced by one rename. Errors: VOLUME_NOT_OWNER, DISK_FULL, IO, the signal's reason.
 */
export async function healFindings(
  volume: Volume,
  findings: readonly Finding[],
  signal?: AbortSignal,
): Promise<Outcome[]> {
  requireOwner(volume)
  faultPoint('heal:after-record')
  const lock = await waitForLock(lockFile(volume, 'heal'), signal ? { signal } : {})
  try {
    const lost = await withHealStaging(volume, async staging => {
      for (const finding of findings) healStoreFile(volume, finding)
      return healContents(volume, damagedContents(findings), staging)
    })
    const states = new Map<Key, Healing['state'] | 'busy'>()
    for (const key of new Set(findings.flatMap(({ environments }) => environments))) {
      signal?.throwIfAborted()
      states.set(key, await healLocked(volume, key))
    }
    return findings.map(finding => outcomeOf(finding, states, lost))
  } finally {
    lock.release()
  }
}

async function healLocked(volume: Volume, key: Key): Promise<Healing['state'] | 'busy'> {
  const lock = tryLock(buildLockFile(volume, key))
  if (lock === null) return 'busy'
  try {
    const parts = readEnvironmentParts(volume, key)
    if (parts === null || 'skeleton' in parts) return (await tryToHeal(volume, key)).state
    // Without its records it can't be found, or said to be whole, by anyone.
    setEnvironmentAside(volume, key)
    return 'rebuild'
  } finally {
    lock.release()
  }
}

/** What is no content: strangers, trees and records. */
function healStoreFile(volume: Volume, { paths, damage, content }: Finding): void {
  const [path = ''] = paths
  if (content !== null || path.startsWith('envs/')) return
  setAside(volume, placeIn(volume.root, path))
  if (path.startsWith('trees/') && damage !== 'foreign') forgetPackages(volume, new Set([basename(path)]))
}

function outcomeOf(
  { content, damage, environments, paths }: Finding,
  states: ReadonlyMap<Key, Healing['state'] | 'busy'>,
  lost: ReadonlySet<string>,
): Outcome {
  const reached = environments.map(key => states.get(key))
  if (reached.includes('busy')) return 'busy'
  if (reached.includes('bring') || reached.includes('rebuild')) return 'next prepare'
  if (content !== null) return lost.has(contentName(content)) ? 'quarantined' : 'healed'
  return paths[0]?.startsWith('envs/') && damage !== 'foreign' ? 'healed' : 'quarantined'
}
