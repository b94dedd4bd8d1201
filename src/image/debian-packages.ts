import type { BaseImage, DebianSource } from './image.ts'

/** `images/debs/<name>.json`: the exact Debian packages that an image is built from. */
export interface DebianPackages {
  readonly schemaVersion: 1
  readonly suite: string
  /** As asked for. */
  readonly packages: readonly string[]
  readonly machine: string
  /** All that is installed, by file name. */
  readonly debs: readonly Deb[]
}

export interface Deb {
  /** `libc6_2.36-9+deb12u14_amd64.deb` */
  readonly file: string
  /** 64 hex digits. */
  readonly sha256: string
  readonly size: number
}

export interface DebianImage extends BaseImage {
  readonly source: DebianSource
}

/** Whether the list is what image.toml asks for now. */
export function isListOf({ suite, packages, machine }: DebianPackages, image: DebianImage): boolean {
  const asked = (one: DebianSource) => JSON.stringify([one.suite, one.packages])
  return machine === image.machine && asked({ kind: 'debian', suite, packages }) === asked(image.source)
}
