import { join } from 'node:path'
import { isKey, type Key } from '../../src/digest.ts'
import { namesIn } from '../disk/names-in.ts'
import { type At, artifactsFolder } from '../volume/layout.ts'
import { type ArtifactKind, readArtifact } from './find-artifact.ts'

/** Says which artifact of a volume. */
export interface ArtifactId {
  readonly kind: ArtifactKind
  readonly key: Key
}

export interface ListedArtifact extends ArtifactId {
  /** Digest of its tree. */
  readonly tree: string
}

const kinds: readonly string[] = ['hub', 'url', 'directory'] satisfies ArtifactKind[]

export function isArtifactKind(name: string): name is ArtifactKind {
  return kinds.includes(name)
}

/** The artifacts on the volume whose records can be read, damaged ones among them. Errors: IO. */
export function listArtifacts(volume: At): ListedArtifact[] {
  const root = artifactsFolder(volume)
  return namesIn(root)
    .filter(isArtifactKind)
    .flatMap(kind =>
      namesIn(join(root, kind))
        .filter(isKey)
        .flatMap(key => {
          const there = readArtifact(volume, kind, key)
          return there === null ? [] : [{ kind, key, tree: there.record.tree }]
        }),
    )
}

/** Relative to the volume. */
export function artifactPath({ kind, key }: ArtifactId): string {
  return `artifacts/${kind}/${key}`
}

/** The artifact that a path on the volume belongs to, and where in its tree: `.` is the root, null is outside. */
export function artifactAt(path: string): (ArtifactId & { readonly inTree: string | null }) | null {
  const [folder, kind = '', key = '', tree, ...rest] = path.split('/')
  if (folder !== 'artifacts' || !isArtifactKind(kind) || !isKey(key)) return null
  return { kind, key, inTree: tree === 'tree' ? rest.join('/') || '.' : null }
}
