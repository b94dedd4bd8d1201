/** Base images, as `--json` prints them. Sizes in bytes. */

import type { ErrorBody } from './prepare.ts'

/**
 * `changed`: image.toml names another source than what is on the volume. `mismatch`: it says what the image is not.
 * `invalid`: it can't be read.
 */
export type ImageState = 'absent' | 'ready' | 'changed' | 'mismatch' | 'invalid'

export interface ImageRow {
  readonly image: string
  readonly state: ImageState
  /** The pinned reference, or the suite of Debian; null where image.toml can't be read. */
  readonly source: string | null
  /** Of its manifest on the volume. */
  readonly digest: string | null
  readonly bytes: ImageBytes | null
  /** Tasks that name it. */
  readonly tasks: readonly string[]
  /** Why it is invalid or doesn't match. */
  readonly problem?: string
}

export interface ImageBytes {
  /** In the volume's OCI layout. */
  readonly packed: number
  /** Sum of the sizes of its files, unpacked, as in an engine's storage. */
  readonly unpacked: number
}

export interface BringImagesRequest {
  /** `pull` takes those of registries, `build` those of Debian packages. */
  readonly how: 'pull' | 'build'
  /** Empty: all of that kind. */
  readonly images: readonly string[]
  /** Build from what the mirrors have now, instead of the packages that were kept. */
  readonly update?: boolean
}

export interface BroughtImageRow {
  readonly image: string
  readonly digest: string
  /** As podman and docker call it. */
  readonly id: string
  /** For skopeo and podman: `oci:<layout>:<name>`. */
  readonly reference: string
  /** The digest that it had on the volume before; null where it wasn't there. */
  readonly before: string | null
  /** False where it was there, whole. */
  readonly changed: boolean
  readonly bytes: ImageBytes
  readonly seconds: number
}

/** One image of several: its result or its error. */
export type ImageOutcome =
  | { readonly image: string; readonly ok: true; readonly result: BroughtImageRow }
  | { readonly image: string; readonly ok: false; readonly error: ErrorBody }

export interface CheckedImage {
  readonly image: string
  readonly digest: string | null
  /** Bytes that were read and hashed. */
  readonly hashed: number
  /** What is wrong; empty: nothing. */
  readonly problems: readonly string[]
}
