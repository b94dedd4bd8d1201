import { readArtifact } from '../../../cache/artifact/find-artifact.ts'
import { artifactsIn, type Finding } from '../../../cache/verify/findings.ts'
import type { Outcome } from '../../../cache/verify/heal/heal-findings.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { VerifyFinding } from '../../../src/api/operations.ts'
import { artifactKey } from '../../../src/artifact/artifact-key.ts'
import type { ArtifactRecord } from '../../../src/artifact/artifact-record.ts'
import type { Configuration } from '../../../src/config/configuration.ts'
import type { Key } from '../../../src/digest.ts'
import { taskNames } from '../../prepare/task/task-names.ts'
import { tasksWithKey } from '../../prepare/task/task-record.ts'
import { readTaskFile } from '../artifact/task-file.ts'

/** Findings with the tasks that their environments and artifacts are of, and what became of each; null: nobody healed. */
export function nameFindings(
  { lockfiles }: Pick<Configuration, 'lockfiles'>,
  volume: Volume,
  findings: readonly Finding[],
  outcomes: readonly Outcome[] | null,
): VerifyFinding[] {
  const tasks = new Map<Key, readonly string[]>()
  for (const key of new Set(findings.flatMap(({ environments }) => environments))) {
    tasks.set(key, [...new Set(tasksWithKey(volume, key).map(({ task }) => task))].sort())
  }
  const naming = artifactsIn(findings).length > 0 ? tasksByArtifact(lockfiles) : new Map<Key, string[]>()
  return findings.map(({ damage, detail, paths, content, environments, artifacts }, index) => ({
    ...{ damage, detail, paths },
    sha256: content?.sha256 ?? null,
    environments: environments.map(key => ({ key, tasks: tasks.get(key) ?? [] })),
    artifacts: artifacts.map(({ kind, key }) => ({
      ...{ key, name: nameOf(readArtifact(volume, kind, key)?.record ?? null, key) },
      tasks: naming.get(key) ?? [],
    })),
    healing: outcomes?.[index] ?? null,
  }))
}

/** Sorted. A task that can't be read names none: verification must not end with it. */
function tasksByArtifact(lockfiles: string): Map<Key, string[]> {
  const tasks = new Map<Key, string[]>()
  for (const task of taskNames(lockfiles)) {
    for (const key of new Set(artifactsOf(lockfiles, task))) tasks.set(key, [...(tasks.get(key) ?? []), task])
  }
  return tasks
}

function artifactsOf(lockfiles: string, task: string): Key[] {
  try {
    return readTaskFile(lockfiles, task).task().artifacts.map(artifactKey)
  } catch {
    return []
  }
}

function nameOf(record: ArtifactRecord | null, key: string): string {
  if (record === null) return key
  const { source, origin } = record
  return source.kind === 'hub' ? `${source.repository}@${source.revision.slice(0, 12)}` : origin
}
