import { existsSync } from 'node:fs'
import { readArtifact } from '../../../artifact/find-artifact.ts'
import { type ArtifactId, artifactPath } from '../../../artifact/list-artifacts.ts'
import { tryLock } from '../../../lock/ofd-lock.ts'
import { artifactFolder, buildLockFile } from '../../../volume/layout.ts'
import type { Volume } from '../../../volume/open-volume.ts'
import { artifactsIn, type Finding } from '../../findings.ts'
import { setAside } from '../set-aside.ts'
import { mendArtifact } from './mend-artifact.ts'

/** What became of an artifact. `left`: a fetch has to bring something. `busy`: a process fetches or heals it. */
export type ArtifactHealing = 'whole' | 'left' | 'busy'

/**
 * Mends the artifacts that recorded findings reach (`recordFindings`), by `artifactPath`. One whose record is gone is
 * moved away as a whole: who has it mounted keeps it. Errors: as mendArtifact.
 */
export async function healArtifacts(
  volume: Volume,
  findings: readonly Finding[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ArtifactHealing>> {
  const healed = new Map<string, ArtifactHealing>()
  for (const artifact of artifactsIn(findings)) {
    healed.set(artifactPath(artifact), await healLocked(volume, artifact, signal))
  }
  return healed
}

async function healLocked(
  volume: Volume,
  artifact: ArtifactId,
  signal: AbortSignal | undefined,
): Promise<ArtifactHealing> {
  const { kind, key } = artifact
  const lock = tryLock(buildLockFile(volume, key))
  if (lock === null) return 'busy'
  try {
    if (await mendArtifact(volume, artifact, signal)) return 'whole'
    const folder = artifactFolder(volume, kind, key)
    if (readArtifact(volume, kind, key) === null && existsSync(folder)) setAside(volume, folder)
    return 'left'
  } finally {
    lock.releaseAndRemove()
  }
}
