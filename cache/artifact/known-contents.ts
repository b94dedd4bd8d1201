import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { HubArtifact } from '../../src/artifact/artifact.ts'
import { isKey } from '../../src/digest.ts'
import { blobPath } from '../blob/blob-path.ts'
import { namesIn } from '../disk/names-in.ts'
import { artifactsFolder } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { readArtifact } from './find-artifact.ts'
import { readArtifactTree } from './read-artifact-tree.ts'

/**
 * The contents that other revisions of a repository have brought: from git's id of a blob to sha256 and size, as their
 * manifests say. What git holds itself has no other sha256 that could be known before it is downloaded.
 */
export function knownContents(
  volume: Volume,
  { repository, type }: Pick<HubArtifact, 'repository' | 'type'>,
): ReadonlyMap<string, { readonly sha256: string; readonly size: number }> {
  const known = new Map<string, { sha256: string; size: number }>()
  for (const key of namesIn(join(artifactsFolder(volume), 'hub')).filter(isKey)) {
    const record = readArtifact(volume, 'hub', key)?.record
    const source = record?.source
    if (source?.kind !== 'hub' || source.repository !== repository || source.type !== type) continue
    const manifest = readArtifactTree(volume, 'hub', key, record!.tree) ?? ''
    for (const [, size, sha256, id] of manifest.matchAll(gitBlob)) {
      known.set(id!, { sha256: sha256!, size: Number(size) })
    }
  }
  for (const [id, { sha256, size }] of known) {
    if (lstatSync(blobPath(volume, sha256, false), { throwIfNoEntry: false })?.size !== size) known.delete(id)
  }
  return known
}

/** A line of a manifest (src/tree/manifest.ts): contents that are named by 40 digits. */
const gitBlob = /^f\t0444\t(\d+)\t([0-9a-f]{64})\tblobs\/([0-9a-f]{40})$/gm
