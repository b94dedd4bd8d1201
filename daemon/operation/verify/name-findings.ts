import type { Finding } from '../../../cache/verify/findings.ts'
import type { Outcome } from '../../../cache/verify/heal/heal-findings.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { VerifyFinding } from '../../../src/api/operations.ts'
import type { Key } from '../../../src/digest.ts'
import { tasksWithKey } from '../../prepare/task/task-record.ts'

/** Findings with the tasks that their environments are of, and what became of each; null: nobody healed. */
export function nameFindings(
  volume: Volume,
  findings: readonly Finding[],
  outcomes: readonly Outcome[] | null,
): VerifyFinding[] {
  const tasks = new Map<Key, readonly string[]>()
  for (const key of new Set(findings.flatMap(({ environments }) => environments))) {
    tasks.set(key, [...new Set(tasksWithKey(volume, key).map(({ task }) => task))].sort())
  }
  return findings.map(({ damage, detail, paths, content, environments }, index) => ({
    ...{ damage, detail, paths },
    sha256: content?.sha256 ?? null,
    environments: environments.map(key => ({ key, tasks: tasks.get(key) ?? [] })),
    healing: outcomes?.[index] ?? null,
  }))
}
