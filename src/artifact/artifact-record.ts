import type { HubType } from './artifact.ts'

/** What is on the volume of an artifact: `artifacts/<kind>/<key>/artifact.json`, for the price of one small file. */
export interface ArtifactRecord {
  readonly schemaVersion: 1
  readonly key: string
  readonly source: ArtifactSource
  /** Digest of its tree. */
  readonly tree: string
  readonly files: number
  /** Sum of the sizes of its files, each content once. */
  readonly bytes: number
  /** Bytes that came over the network for it. */
  readonly received: number
  /** Endpoint, URL or directory it came from: for people; no credentials. */
  readonly origin: string
  /** ISO 8601. */
  readonly createdAt: string
}

/** The identity that the key was made of. */
export type ArtifactSource =
  | {
      readonly kind: 'hub'
      readonly repository: string
      readonly type: HubType
      readonly revision: string
      readonly include: readonly string[] | null
      readonly exclude: readonly string[]
    }
  | { readonly kind: 'url'; readonly sha256: string; readonly file: string | null; readonly unpack: boolean }
  | { readonly kind: 'directory'; readonly tree: string }
