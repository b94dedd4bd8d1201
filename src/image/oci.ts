/** The parts of the OCI image format that envd reads and writes (OCI Image Format Specification 1.0, image-layout, manifest, config). */

export type Sha256 = `sha256:${string}`

export interface Descriptor {
  readonly mediaType: string
  readonly digest: Sha256
  readonly size: number
  readonly platform?: { readonly architecture: string; readonly os: string }
  readonly annotations?: Readonly<Record<string, string>>
}

export interface Manifest {
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
}

export interface ImageConfig {
  /** Variables as `NAME=value`. */
  readonly environment: readonly string[]
}

/** The annotation of an index.json by which a layout names an image. */
export const REFERENCE_NAME = 'org.opencontainers.image.ref.name'
export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json'
export const CONFIG_TYPE = 'application/vnd.oci.image.config.v1+json'
export const LAYER_TYPE = 'application/vnd.oci.image.layer.v1.tar'

/** PATH of an image that sets none: what the engines take then (runtime-spec's and Docker's default). */
export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Entries of an index.json, an image index or a manifest list of Docker's; null for another document. */
export function parseIndex(text: string): readonly Descriptor[] | null {
  const { manifests } = parseObject(text)
  return Array.isArray(manifests) && manifests.every(isDescriptor) ? manifests : null
}

/** Also one of Docker's (schema 2), which has the same parts; null for another document. */
export function parseManifest(text: string): Manifest | null {
  const { config, layers } = parseObject(text)
  if (!isDescriptor(config) || !Array.isArray(layers) || !layers.every(isDescriptor)) return null
  return { config, layers }
}

export function parseConfig(text: string): ImageConfig {
  const { config } = parseObject(text)
  const { Env: environment } = Object(config) as { Env?: unknown }
  const isList = Array.isArray(environment) && environment.every(one => typeof one === 'string')
  return { environment: isList ? environment : [] }
}

const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' }

/** `amd64` for `x86_64`, as OCI and Debian call it. */
export function architectureOf(machine: string): string {
  return architectures[machine] ?? machine
}

/** The first manifest of an index that is for Linux on that machine. */
export function chooseForMachine(manifests: readonly Descriptor[], machine: string): Descriptor | null {
  const architecture = architectureOf(machine)
  const fits = ({ platform }: Descriptor) =>
    platform?.os === 'linux' && platform.architecture === architecture
  return manifests.find(fits) ?? null
}

export function hexOf(digest: Sha256): string {
  return digest.slice('sha256:'.length)
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

function isDescriptor(value: unknown): value is Descriptor {
  const { mediaType, digest, size } = Object(value) as Record<string, unknown>
  return (
    typeof mediaType === 'string' &&
    typeof digest === 'string' &&
    /^sha256:[0-9a-f]{64}$/.test(digest) &&
    Number.isSafeInteger(size)
  )
}
