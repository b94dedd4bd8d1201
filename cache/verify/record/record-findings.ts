import { isKey, type Key } from '../../../src/digest.ts'
import { type ArtifactId, artifactAt } from '../../artifact/list-artifacts.ts'
import { writeDurable } from '../../disk/durable.ts'
import { artifactFolder, historyFile } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { requireOwner } from '../../volume/require-owner.ts'
import { artifactsIn, type Finding } from '../findings.ts'
import { contentName } from '../problem.ts'
import type { Verification } from '../verify-store.ts'
import type { DamagedContent } from './damage-record.ts'
import { type FoundDamage, recordDamage, recordDamageIn, settleDamage } from './record-damage.ts'

/** Writes `history/verify-<time>.json` and returns its path. */
export function recordHistory(volume: Volume, verification: object): string {
  requireOwner(volume)
  const time = new Date().toISOString()
  const file = historyFile(volume, `verify-${time.replaceAll(':', '-')}`)
  writeDurable(file, `${JSON.stringify({ schemaVersion: 1, time, ...verification }, null, 2)}\n`, {
    mode: 0o644,
  })
  return file
}

/**
 * Leaves in each environment and artifact that was reached what its next prepare has to heal, and takes away the records of those
 * that a full verification found whole, as far as they were there when it began. Errors: VOLUME_BUSY, IO.
 */
export function recordFindings(
  volume: Volume,
  { findings, recorded }: Pick<Verification, 'findings' | 'recorded'>,
  quick: boolean,
): void {
  requireOwner(volume)
  const reached = new Set(findings.flatMap(finding => finding.environments))
  for (const key of reached) recordDamage(volume, key, damageOf(key, findings))
  for (const artifact of artifactsIn(findings)) recordArtifact(volume, artifact, findings)
  if (quick) return
  for (const [key, record] of recorded) {
    if (!reached.has(key)) settleDamage(volume, key, record, null)
  }
}

function recordArtifact(volume: Volume, { kind, key }: ArtifactId, findings: readonly Finding[]): void {
  const mine = findings.filter(({ artifacts }) => artifacts.some(one => one.kind === kind && one.key === key))
  const paths = mine
    .flatMap(({ paths }) => paths)
    .flatMap(path => {
      const at = artifactAt(path)
      return at?.kind === kind && at.key === key && at.inTree !== null ? [at.inTree] : []
    })
  recordDamageIn(volume, artifactFolder(volume, kind, key), { paths, contents: damagedContents(mine) })
}

/** What of it reaches the environment. */
export function damageOf(key: Key, findings: readonly Finding[]): FoundDamage {
  const mine = findings.filter(finding => finding.environments.includes(key))
  return {
    paths: mine.flatMap(({ paths }) => pathsInTree(key, paths)),
    contents: damagedContents(mine),
  }
}

/** Files whose contents are wrong must not be taken for good ones anywhere. */
export function damagedContents(findings: readonly Finding[]): DamagedContent[] {
  const found = new Map<string, DamagedContent>()
  for (const { content, inode, damage } of findings) {
    if (content === null) continue
    const isGood = damage === 'mode' || damage === 'time' || damage === 'missing'
    const inodes = found.get(contentName(content))?.inodes ?? []
    found.set(contentName(content), {
      sha256: content.sha256,
      executable: content.executable,
      inodes: isGood || inode === null ? inodes : [...inodes, inode],
    })
  }
  return [...found.values()]
}

/** Those in the environment's tree, relative to it. */
export function pathsInTree(key: Key, paths: readonly string[]): string[] {
  return paths.flatMap(path => {
    const [folder, named = '', tree, ...rest] = path.split('/')
    if (folder !== 'envs' || !isKey(named) || named !== key || tree !== 'tree') return []
    return [rest.length === 0 ? '.' : rest.join('/')]
  })
}
