import { CONTAINER } from '../mount/mount-plan.ts'
import type { DeclaredArtifact } from './artifact.ts'

/** Where a container sees an artifact: a repository's folder in one hub cache for all of them, or a folder of its name. */
export function artifactDestination(artifact: DeclaredArtifact): string {
  if (artifact.kind !== 'hub') return `${CONTAINER.artifacts}/${artifact.name}`
  return `${hubCache}/${artifact.type}s--${artifact.repository.replace('/', '--')}`
}

const hubCache = `${CONTAINER.artifacts}/hub`

/**
 * What makes libraries look there (huggingface_hub, "Environment variables"). Offline, because a client that may ask
 * the hub wants to write down what it was told, and a newer revision there must not pass for this one.
 */
export function artifactVariables({ kind }: Pick<DeclaredArtifact, 'kind'>): Record<string, string> {
  return kind === 'hub' ? { HF_HUB_CACHE: hubCache, HF_HUB_OFFLINE: '1' } : {}
}
