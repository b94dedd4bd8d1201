import { basename } from 'node:path'
import type { Key } from '../../../src/digest.ts'
import { artifactAt, artifactPath } from '../../artifact/list-artifacts.ts'
import { placeIn } from '../../disk/place-in.ts'
import { setEnvironmentAside } from '../../environment/set-environment-aside.ts'
import { liveLeases } from '../../lease/live-leases.ts'
import { withStagingFolder } from '../../lease/with-staging.ts'
import { tryLock } from '../../lock/ofd-lock.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { buildLockFile } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { requireOwner } from '../../volume/require-owner.ts'
import { readEnvironmentParts } from '../environment-parts.ts'
import type { Finding } from '../findings.ts'
import { contentName } from '../problem.ts'
import { damagedContents, pathsInTree } from '../record/record-findings.ts'
import { forgetPackages } from './forget-packages.ts'
import { healContents } from './heal-contents.ts'
import { type Healing, healEnvironment } from './heal-environment.ts'
import { setAside } from './set-aside.ts'
import { type ArtifactHealing, healArtifacts } from './whole/heal-artifacts.ts'
import { healPythons, pathInPython } from './whole/heal-pythons.ts'

/**
 * What became of a finding. `next prepare`: the damaged file is in quarantine, or waits in its environment, and the next
 * prepare brings what is needed; `next import`, that taking in the interpreter again does. `quarantined`: nothing needs it. `busy`: a process builds, heals or removes the environment.
 */
export type Outcome = 'healed' | 'next prepare' | 'next import' | 'quarantined' | 'busy'

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
  const { lost, left } = await withStagingFolder(volume, [], async ({ folder: staging }) => {
    for (const finding of findings) healStoreFile(volume, finding)
    const lost = await healContents(volume, damagedContents(findings), staging, signal)
    return { lost, left: healPythons(volume, findings, lost, staging) }
  })
  const artifacts = await healArtifacts(volume, findings, signal)
  const healed = new Map<Key, Healing | null>()
  for (const key of new Set(findings.flatMap(({ environments }) => environments))) {
    signal?.throwIfAborted()
    healed.set(key, await healLocked(volume, key, signal))
  }
  return findings.map(finding => outcomeOf(finding, { environments: healed, artifacts, lost, left }))
}

/** Null while a process builds, heals or removes it. */
async function healLocked(volume: Volume, key: Key, signal?: AbortSignal): Promise<Healing | null> {
  const lock = tryLock(buildLockFile(volume, key))
  if (lock === null) return null
  try {
    const parts = readEnvironmentParts(volume, key)
    if (parts === null || 'skeleton' in parts) return await healEnvironment(volume, key, signal)
    // Without its records nobody can find it, or say that it is whole; who uses it has it until the next is there.
    if (!liveLeases(volume).some(({ keys }) => keys.includes(key))) setEnvironmentAside(volume, key)
    return { state: 'rebuild', left: [] }
  } finally {
    lock.release()
  }
}

/** What is no content: strangers, trees and records. */
function healStoreFile(volume: Volume, { paths, damage, content }: Finding): void {
  const [path = ''] = paths
  if (content !== null || isInTree(path) || artifactAt(path) !== null) return
  setAside(volume, placeIn(volume.root, path))
  if (path.startsWith('trees/') && damage !== 'foreign') forgetPackages(volume, new Set([basename(path)]))
}

interface Healed {
  readonly environments: ReadonlyMap<Key, Healing | null>
  readonly artifacts: ReadonlyMap<string, ArtifactHealing>
  /** Names of contents that are gone for now. */
  readonly lost: ReadonlySet<string>
  /** Paths of interpreters that are still damaged. */
  readonly left: ReadonlySet<string>
}

function outcomeOf(
  { content, damage, environments, artifacts, paths }: Finding,
  { environments: healed, artifacts: mended, lost, left }: Healed,
): Outcome {
  const ofArtifacts = artifacts.map(artifact => mended.get(artifactPath(artifact)))
  if (environments.some(key => healed.get(key) === null) || ofArtifacts.includes('busy')) return 'busy'
  if (environments.some(key => isLeft(key, healed.get(key)!, paths))) return 'next prepare'
  if (
    ofArtifacts.includes('left') &&
    (content === null ? damage !== 'foreign' : lost.has(contentName(content)))
  )
    return 'next prepare'
  if (paths.some(path => left.has(path))) return 'next import'
  if (content !== null) return lost.has(contentName(content)) ? 'quarantined' : 'healed'
  const isKept = isInTree(paths[0]!) || artifacts.length > 0
  return isKept && damage !== 'foreign' ? 'healed' : 'quarantined'
}

/** What lies there is healed in its place, and not moved away. */
function isInTree(path: string): boolean {
  return path.startsWith('envs/') || pathInPython(path) !== null
}

/** A finding outside of the tree, in the records, is left as long as the environment isn't whole. */
function isLeft(key: Key, healing: Healing, paths: readonly string[]): boolean {
  if (healing.state === 'whole') return false
  const mine = pathsInTree(key, paths)
  return mine.length === 0 || mine.some(path => healing.left.includes(path))
}
