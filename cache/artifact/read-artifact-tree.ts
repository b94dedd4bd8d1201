import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { treeDigest } from '../../src/tree/manifest.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { type At, artifactFolder, MANIFEST, treeFile } from '../volume/layout.ts'
import type { ArtifactKind } from './find-artifact.ts'

/** The canonical text of an artifact's tree, from among the trees or beside it; null where neither is whole. */
export function readArtifactTree(volume: At, kind: ArtifactKind, key: string, digest: string): string | null {
  return (
    readWhole(treeFile(volume, digest), digest) ??
    readWhole(join(artifactFolder(volume, kind, key), MANIFEST), digest)
  )
}

function readWhole(file: string, digest: string): string | null {
  try {
    const text = readFileSync(file, 'utf8')
    return treeDigest(text) === digest ? text : null
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'EIO')) return null
    throw machineError(error, file)
  }
}
