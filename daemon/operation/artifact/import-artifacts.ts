import { resolve } from 'node:path'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { requireOwner } from '../../../cache/volume/require-owner.ts'
import type { ArtifactImport, ImportedRepository } from '../../../src/api/import.ts'
import { inspectDirectory } from '../../artifact/directory/bring-directory.ts'
import { findCaches } from '../../artifact/import/find-caches.ts'
import { describeCache, importCache } from '../../artifact/import/import-cache.ts'
import { describeDirectory, importDirectory } from '../../artifact/import/import-directory.ts'
import type { WorkOptions } from '../../door.ts'
import type { Progress } from '../../prepare/progress.ts'
import { signalOf } from '../../signal-of.ts'

/** Takes in a hub's cache, one repository of it, or a plain directory; without `take`, says what that would do. */
export async function importArtifacts(
  volume: Volume,
  path: string,
  { take }: { readonly take: boolean },
  options: WorkOptions,
): Promise<ArtifactImport> {
  requireOwner(volume)
  const signal = signalOf(options)
  const context = {
    ...{ volume, signal },
    report: (progress: Progress) => options.onEvent?.({ task: 'import', ...progress }),
  }
  const root = resolve(path)
  const caches = findCaches(root)
  if (caches.length === 0) {
    const inspected = await inspectDirectory(root, { signal })
    const described = describeDirectory(volume, root, inspected)
    return take ? importDirectory(described, inspected, context) : described
  }
  const repositories: ImportedRepository[] = []
  for (const cached of caches) {
    repositories.push(take ? await importCache(cached, context) : describeCache(volume, cached))
  }
  return { kind: 'hub', path: root, taken: take, repositories }
}
