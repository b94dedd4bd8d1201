import type { DeclaredArtifact } from './artifact.ts'

/** An `[[artifact]]` as `parseArtifacts` reads it; what is empty or missing is left out. */
export function artifactTable(artifact: DeclaredArtifact): Record<string, unknown> {
  switch (artifact.kind) {
    case 'hub': {
      const { repository, type, revision, include, exclude } = artifact
      return {
        hub: repository,
        ...(type === 'model' ? {} : { type }),
        ...(revision === null ? {} : { revision }),
        ...(include === null ? {} : { include }),
        ...(exclude.length === 0 ? {} : { exclude }),
      }
    }
    case 'url': {
      const { url, name, sha256, unpack } = artifact
      const pin = sha256 === null ? {} : { sha256 }
      return { url, name, ...pin, ...(unpack === null ? {} : { unpack: true, limits: unpack }) }
    }
    case 'directory': {
      const { directory, name, tree } = artifact
      return { directory, name, ...(tree === null ? {} : { tree }) }
    }
  }
}
