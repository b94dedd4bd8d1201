import type { Target } from '../target/target.ts'

/** What an image.toml says, checked: `base-images/<name>/image.toml`. All of it is true of the image inside. */
export interface BaseImage {
  readonly name: string
  readonly source: RegistrySource | DebianSource
  /** Its own interpreter; null: tasks get one that was taken in (`envd python import`). */
  readonly python: ImagePython | null
  readonly libc: Target['libc']
  /** `x86_64` or `aarch64`, as in Target. */
  readonly machine: string
  /** CUDA user-space level (`12.4`) the image brings; null: none. */
  readonly cuda: string | null
  /** Lowest NVIDIA driver it works with (`550.54.14`); null: any, or none needed. */
  readonly minimumDriver: string | null
  /** It has a C compiler, for tasks that build at run time. */
  readonly compiler: boolean
}

/** An image of a registry, pinned: `docker://host/name@sha256:…` as skopeo takes it, without credentials. */
export interface RegistrySource {
  readonly kind: 'registry'
  readonly reference: string
}

/** Built here from Debian packages. */
export interface DebianSource {
  readonly kind: 'debian'
  /** `bookworm`. */
  readonly suite: string
  /** Beyond what is essential; sorted, each once. */
  readonly packages: readonly string[]
}

export interface ImagePython {
  /** Absolute path in the image, symlinks resolved: `/usr/bin/python3.11`. */
  readonly path: string
  /** Exact version: `3.11.2`. */
  readonly version: string
  /** `sys.base_prefix`: `/usr`. */
  readonly prefix: string
}
