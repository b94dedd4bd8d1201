import { findArtifact, type ReadyArtifact, readArtifact } from '../../cache/artifact/find-artifact.ts'
import { type ArtifactPublication, publishArtifact } from '../../cache/artifact/publish-artifact.ts'
import { waitForLock } from '../../cache/lock/ofd-lock.ts'
import { buildLockFile } from '../../cache/volume/layout.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import { type Artifact, describeArtifact } from '../../src/artifact/artifact.ts'
import { artifactKey, sourceOf } from '../../src/artifact/artifact-key.ts'
import type { Key } from '../../src/digest.ts'
import { type Conduct, usualConduct } from '../download/conduct.ts'
import { withStaging } from '../prepare/build/with-staging.ts'
import type { ReportProgress } from '../prepare/progress.ts'

export interface FetchContext {
  readonly volume: Volume
  /** What a relative `directory` starts from: the task's folder. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** Absent: the usual one. */
  readonly conduct?: Conduct
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

export type BringContext = FetchContext & { readonly conduct: Conduct }

export interface FetchedArtifact extends ReadyArtifact {
  readonly key: Key
  /** It was there, or another process brought it. */
  readonly reused: boolean
  /** Bytes that this call received over the network. */
  readonly received: number
}

/** What a kind of artifact brings: the tree lies sealed in staging. */
export interface Brought {
  readonly manifest: string
  readonly tree: string
  readonly files: number
  readonly bytes: number
  readonly received: number
  readonly origin: string
  /** After it is published: what was kept in case it wouldn't be. */
  tidy(): void
}

/**
 * Finds an artifact on the volume, or brings it: once, whoever asks for it at the same time. Errors:
 * ARTIFACT_NOT_FOUND, ARTIFACT_UNAUTHORIZED, ARTIFACT_EMPTY, ARTIFACT_DIGEST, ARTIFACT_DOWNLOAD_FAILED, HUB_ANSWER,
 * ARCHIVE_REFUSED, VOLUME_NOT_OWNER, DISK_FULL, IO, the signal's reason.
 */
export async function fetchArtifact(artifact: Artifact, context: FetchContext): Promise<FetchedArtifact> {
  const { volume, signal, report } = context
  const key = artifactKey(artifact)
  const there = findArtifact(volume, artifact.kind, key)
  if (there !== null) return { ...there, key, reused: true, received: 0 }
  requireOwner(volume)
  const name = describeArtifact(artifact)
  const onWait = (waitedMs: number) => {
    if (waitedMs > 0) report({ phase: 'wait', message: `waiting for another process that fetches ${name}` })
  }
  const lock = await waitForLock(buildLockFile(volume, key), { signal, onWait })
  try {
    const meanwhile = findArtifact(volume, artifact.kind, key)
    if (meanwhile !== null) return { ...meanwhile, key, reused: true, received: 0 }
    const { mendArtifact } = await import('../../cache/verify/heal/whole/mend-artifact.ts')
    if (await mendArtifact(volume, { kind: artifact.kind, key }, signal)) {
      return { ...readArtifact(volume, artifact.kind, key)!, key, reused: true, received: 0 }
    }
    return await withStaging(volume, [key], async ({ id }) => {
      const { tidy, received, origin, manifest, ...counts } = await bring(
        artifact,
        { conduct: usualConduct, ...context },
        id,
      )
      report({ phase: 'seal', message: `making ${name} durable` })
      const source = sourceOf(artifact)
      const createdAt = new Date().toISOString()
      const record = { schemaVersion: 1 as const, key, source, ...counts, received, origin, createdAt }
      const publication: ArtifactPublication = { staging: id, manifest, record }
      const ready = await publishArtifact(volume, publication)
      tidy()
      return { ...ready, key, reused: false, received }
    })
  } finally {
    lock.releaseAndRemove()
  }
}

/** What an artifact that is there doesn't need is loaded here. */
async function bring(artifact: Artifact, context: BringContext, staging: string): Promise<Brought> {
  switch (artifact.kind) {
    case 'hub':
      return (await import('./hub/bring-hub.ts')).bringHub(artifact, context, staging)
    case 'url':
      return (await import('./url/bring-url.ts')).bringUrl(artifact, context, staging)
    case 'directory':
      return (await import('./directory/bring-directory.ts')).bringDirectory(artifact, context, staging)
  }
}
