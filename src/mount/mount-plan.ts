import type { Key } from '../digest.ts'
import type { DriverNeed } from '../gpu/driver-need.ts'

/**
 * What a container of a task gets, the same for every engine; each adapter renders it
 * (src/mount/render/). A pure function makes it from what is on the volume (src/mount/plan-mounts.ts).
 */
export interface MountPlan {
  readonly task: string
  /** Of the environment. */
  readonly key: Key
  /** Null: any image that fits the target. */
  readonly image: PlannedImage | null
  /** In the order they are made; recursively read-only, nosuid, nodev. */
  readonly mounts: readonly PlannedMount[]
  /** Writable, empty at the start and private to one container; mode 1777. */
  readonly scratch: readonly { readonly destination: string; readonly bytes: number | null }[]
  /** Without PATH. */
  readonly variables: Readonly<Record<string, string>>
  /** The whole PATH: the environment's `bin` in front of the image's own. */
  readonly path: string
  /** Keys the container's lease claims: the environment, the interpreter, artifacts. */
  readonly leased: readonly string[]
  /** Of the host's GPUs; null: any, or none. */
  readonly driver: DriverNeed | null
}

export interface PlannedImage {
  readonly name: string
  /** The volume's OCI layout, which has it under its name once it was brought; absolute. */
  readonly layout: string
  /** Digest of its config, 64 hex digits: podman calls it so. Null: it was not brought yet. */
  readonly id: string | null
  /** `docker://<host>/<name>@<digest>` where it is one of a registry; null: it is built on the volume's host. */
  readonly registry: string | null
}

/** One folder of the volume as the container sees it. */
export interface PlannedMount {
  readonly kind: 'environment' | 'python' | 'artifact'
  /** Absolute, on this host. */
  readonly source: string
  /** Absolute, in the container. */
  readonly destination: string
  /** Folders laid over `source`, the first on top; together one read-only overlay. Absent: a bind mount. */
  readonly layers?: readonly string[]
}

/** Fixed paths in a container. */
export const CONTAINER = {
  root: '/opt/envd',
  /** Equal to CONTAINER_PREFIX of the recipe. */
  environment: '/opt/envd/env',
  /** An interpreter that was taken in; absent where the image's own is used. */
  python: '/opt/envd/python',
  /** Artifacts: `hub/` in the layout of the hub's cache, others by name. */
  artifacts: '/opt/envd/artifacts',
  scratch: '/opt/envd/scratch',
  project: '/workspace',
} as const
