import { resolve } from 'node:path'
import type { DeclaredArtifact } from '../../src/artifact/artifact.ts'
import { usualConduct } from '../download/conduct.ts'
import type { ReportProgress } from '../prepare/progress.ts'

export interface FindPinContext {
  /** What a relative `directory` starts from. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly report: ReportProgress
}

/** What is pinned of an artifact whose pin can be found out: a commit, or the digest of a directory as it is now. */
export interface FoundPin {
  readonly key: 'revision' | 'tree'
  readonly from: string | null
  readonly to: string
}

/**
 * Null where there is nothing to find out: it is pinned, or a URL, whose publisher has to say what is right. Errors: as
 * resolveRevision and inspectDirectory.
 */
export async function findPin(artifact: DeclaredArtifact, context: FindPinContext): Promise<FoundPin | null> {
  switch (artifact.kind) {
    case 'url':
      return null
    case 'hub': {
      const { revision } = artifact
      if (revision !== null && /^[0-9a-f]{40}$/.test(revision)) return null
      return { key: 'revision', from: revision, to: await commitOf(artifact, revision ?? 'main', context) }
    }
    case 'directory': {
      if (artifact.tree !== null) return null
      const { inspectDirectory } = await import('./directory/bring-directory.ts')
      const { directory } = artifact
      const { tree } = await inspectDirectory(resolve(context.folder, directory), {
        signal: context.signal,
        onProgress: (done, total) =>
          context.report({ phase: 'hash', message: `reading ${directory}`, done, total, unit: 'bytes' }),
      })
      return { key: 'tree', from: null, to: tree }
    }
  }
}

async function commitOf(
  artifact: Extract<DeclaredArtifact, { kind: 'hub' }>,
  revision: string,
  { environment, signal, report }: FindPinContext,
): Promise<string> {
  const { resolveRevision } = await import('./hub/hub-api.ts')
  const { readHubConfiguration } = await import('./hub/hub-configuration.ts')
  const { startClient } = await import('../download/http/send.ts')
  const client = startClient(usualConduct)
  const onNote = (message: string) => report({ phase: 'resolve', message })
  onNote(`asking for ${revision} of ${artifact.repository}`)
  try {
    const hub = readHubConfiguration(environment)
    return await resolveRevision({ hub, client, conduct: usualConduct, signal, onNote }, artifact, revision)
  } finally {
    await client.close()
  }
}
