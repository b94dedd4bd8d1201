/** Weights or a data set a task names, pinned: what `[[artifact]]` of a task.toml says. */
export type Artifact = HubArtifact | UrlArtifact | DirectoryArtifact

/** A repository of a hub that speaks the Hugging Face API. */
export interface HubArtifact {
  readonly kind: 'hub'
  /** `org/name`, or the name alone for the hub's oldest. */
  readonly repository: string
  readonly type: HubType
  /** Full commit, 40 lowercase hex digits. */
  readonly revision: string
  /** Patterns (patterns.ts), sorted, each once; null: every file. */
  readonly include: readonly string[] | null
  readonly exclude: readonly string[]
}

export type HubType = 'model' | 'dataset'

export interface UrlArtifact {
  readonly kind: 'url'
  /** Its folder in a container. */
  readonly name: string
  /** http or https, without credentials. */
  readonly url: string
  /** Of the file behind the URL, 64 lowercase hex digits. */
  readonly sha256: string
  /** It is an archive to unpack, within these limits; null: it is kept as one file. */
  readonly unpack: UnpackLimits | null
}

export interface UnpackLimits {
  /** Files, folders and links. */
  readonly entries: number
  /** Sum of the sizes of the files. */
  readonly bytes: number
  /** Unpacked bytes for each byte of the archive. */
  readonly ratio: number
}

export interface DirectoryArtifact {
  readonly kind: 'directory'
  readonly name: string
  /** Absolute, or relative to the task's folder. */
  readonly directory: string
  /** Digest of its tree (src/tree/manifest.ts), 64 lowercase hex digits. */
  readonly tree: string
}

/** As written: the pin may be missing, or be a branch or tag. */
export type DeclaredArtifact =
  | (Omit<HubArtifact, 'revision'> & { readonly revision: string | null })
  | (Omit<UrlArtifact, 'sha256'> & { readonly sha256: string | null })
  | (Omit<DirectoryArtifact, 'tree'> & { readonly tree: string | null })

/** `org/name`, the file of a URL, the path of a directory: for people. */
export function describeArtifact(artifact: DeclaredArtifact): string {
  switch (artifact.kind) {
    case 'hub':
      return artifact.type === 'dataset' ? `datasets/${artifact.repository}` : artifact.repository
    case 'url':
      return artifact.url.replace(/\?.*$/, '')
    case 'directory':
      return artifact.directory
  }
}

/** The last segment of a URL's path, decoded; null where there is none that can name a file. */
export function fileOfUrl(url: string): string | null {
  const segment = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    const name = decodeURIComponent(segment)
    return /^$|^\.{1,2}$|[/\0]/.test(name) ? null : name
  } catch {
    return null
  }
}
