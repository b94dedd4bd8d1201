/** What `envd artifact import` takes in, or would. Sizes in bytes. */
export type ArtifactImport = ImportedCache | ImportedDirectory

export interface ImportedCache {
  readonly kind: 'hub'
  readonly path: string
  /** False for a dry run. */
  readonly taken: boolean
  readonly repositories: readonly ImportedRepository[]
}

export interface ImportedRepository {
  readonly name: string
  readonly type: 'model' | 'dataset'
  /** Commits the cache has a snapshot of. */
  readonly revisions: readonly string[]
  readonly files: number
  readonly bytes: number
  /** Of these, what the store had already, as far as their names tell. */
  readonly known: { readonly files: number; readonly bytes: number }
  readonly way: 'link' | 'copy'
  /** Names of files whose contents are not what the name says; they are left out. */
  readonly damaged: readonly string[]
}

export interface ImportedDirectory {
  readonly kind: 'directory'
  readonly path: string
  readonly taken: boolean
  /** What `tree` in task.toml says, for this directory as it is. */
  readonly tree: string
  readonly key: string
  readonly files: number
  readonly bytes: number
  readonly way: 'link' | 'copy'
  /** It was on the volume before. */
  readonly known: boolean
}
