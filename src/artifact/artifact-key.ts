import type { Key } from '../digest.ts'
import { digestOf } from '../key/environment-key.ts'
import { type Artifact, fileOfUrl } from './artifact.ts'
import type { ArtifactSource } from './artifact-record.ts'

/**
 * sha256, as 64 hex digits, over the UTF-8 bytes of
 *
 *     envd artifact key 1 LF
 *     <RFC 8785 JSON of one of>
 *       {"exclude":[…],"include":[…]|null,"kind":"hub","repository":"org/name","revision":"<40 hex>","type":"model"|"dataset"}
 *       {"file":"<name>"|null,"kind":"url","sha256":"<64 hex>","unpack":true|false}
 *       {"kind":"directory","tree":"<64 hex>"}
 *
 * without a line feed at the end. Patterns are sorted by UTF-16 code units, each once. `file` is the last segment of
 * the URL's path, decoded; null where the archive is unpacked. The hub's endpoint, the rest of a URL, the place of a
 * directory, names in containers and limits are not identity. Test vectors: test/fixture/artifact-key-vectors.json.
 */
export function artifactKey(artifact: Artifact): Key {
  return digestOf('envd artifact key 1', { ...sourceOf(artifact) })
}

/** What of an artifact is identity. */
export function sourceOf(artifact: Artifact): ArtifactSource {
  switch (artifact.kind) {
    case 'hub': {
      const { kind, repository, type, revision, include, exclude } = artifact
      return {
        kind,
        repository,
        type,
        revision,
        include: include && sorted(include),
        exclude: sorted(exclude),
      }
    }
    case 'url': {
      const { kind, url, sha256, unpack } = artifact
      return { kind, sha256, file: unpack ? null : fileOfUrl(url), unpack: unpack !== null }
    }
    case 'directory':
      return { kind: artifact.kind, tree: artifact.tree }
  }
}

function sorted(patterns: readonly string[]): readonly string[] {
  return [...new Set(patterns)].sort()
}
