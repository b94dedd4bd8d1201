import { CONTAINER } from '../mount/mount-plan.ts'
import type { DeclaredArtifact } from './artifact.ts'

/** Where a container sees an artifact: a repository's folder in one hub cache for all of them, or a folder of its name. */
export function artifactDestination(artifact: DeclaredArtifact): string {
  if (artifact.kind !== 'hub') return `${CONTAINER.artifacts}/${artifact.name}`
  return `${CONTAINER.artifacts}/hub/${artifact.type}s--${artifact.repository.replace('/', '--')}`
}

/**
 * What makes libraries look there (huggingface_hub, "Environment variables"). Offline, because a client that may ask
 * the hub wants to write down what it was told, and a newer revision there must not pass for this one. ENVD_ARTIFACTS is
 * for programs that are to find the rest in containers and on hosts. `folder` has them all.
 */
export function artifactVariables(
  { kind }: Pick<DeclaredArtifact, 'kind'>,
  folder: string = CONTAINER.artifacts,
): Record<string, string> {
  const hub = kind === 'hub' ? { HF_HUB_CACHE: `${folder}/hub`, HF_HUB_OFFLINE: '1' } : {}
  return { ENVD_ARTIFACTS: folder, ...hub }
}
