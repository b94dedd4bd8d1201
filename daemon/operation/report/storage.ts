import { statSync } from 'node:fs'
import { type IndexPlace, withIndex } from '../../../cache/index/with-index.ts'
import { readUsage } from '../../../cache/usage/read-usage.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { PackageStorage, StorageReport, StorageRequest } from '../../../src/api/report.ts'
import { EnvdError } from '../../../src/error.ts'
import { nearestName } from '../../../src/nearest-name.ts'
import { compareWays } from '../../../src/report/storage/comparison.ts'
import { packagesStorage } from '../../../src/report/storage/packages.ts'
import { parts, sumOfParts } from '../../../src/report/storage/parts.ts'
import type { StoreFacts } from '../../../src/report/storage/store-facts.ts'
import { tasksByKey, tasksStorage } from '../../../src/report/storage/tasks.ts'
import { indexPlace } from '../index/index-place.ts'

/** With so few environments it is said of each task with whom it shares. */
const fewEnvironments = 100

/** What lies on the volume, by part, task and package. Errors: TASK_NOT_FOUND, for a task that has no environment. */
export async function reportStorage(
  volume: Volume,
  { tasks: named }: StorageRequest,
  note: IndexPlace['note'],
  options: { readonly signal?: AbortSignal },
): Promise<StorageReport> {
  const place = indexPlace(volume, note)
  const {
    store,
    sharing,
    parts: bytes,
    unread,
  } = await withIndex(place, database => readUsage(database, volume, options))
  requireTasks(
    named,
    store.tasks.map(({ task }) => task),
  )
  const ofAll = named.length === 0 && store.environments.length <= fewEnvironments
  const byKey = tasksByKey(store)
  const rows = tasksStorage(store, sharing, task => ofAll || (task !== null && named.includes(task)))
  return {
    volume: volume.root,
    total: { bytes: sumOfParts(bytes) },
    parts: parts.map(part => ({ part, bytes: bytes[part] })),
    index: { path: place.file, bytes: bytesOf(place.file) },
    unread,
    tasks: named.length === 0 ? rows : rows.filter(({ task }) => task !== null && named.includes(task)),
    packages: packagesOf(store, packagesStorage(store, sharing), named),
    comparison: compareWays(store, bytes, ({ key }) => byKey.get(key)?.length ?? 1),
  }
}

/** Of tasks that are named, theirs alone. */
function packagesOf(
  { environments, packages, tasks }: StoreFacts,
  rows: readonly PackageStorage[],
  named: readonly string[],
): readonly PackageStorage[] {
  if (named.length === 0) return rows
  const keys = new Set(tasks.filter(({ task }) => named.includes(task)).map(({ key }) => key))
  const trees = new Set(environments.filter(({ key }) => keys.has(key)).flatMap(one => [...one.trees]))
  return rows.filter((_, at) => trees.has(packages[at]!.tree))
}

function requireTasks(named: readonly string[], known: readonly string[]): void {
  const missing = named.find(task => !known.includes(task))
  if (missing === undefined) return
  const nearest = nearestName(missing, known)
  throw new EnvdError('TASK_NOT_FOUND', `no environment on the volume is that of a task ${missing}`, {
    hint: nearest === null ? 'Prepare it first: envd prepare.' : `Did you mean ${nearest}?`,
    details: { task: missing },
  })
}

function bytesOf(file: string): number {
  return ['', '-wal', '-shm'].reduce(
    (bytes, ending) => bytes + (statSync(`${file}${ending}`, { throwIfNoEntry: false })?.blocks ?? 0) * 512,
    0,
  )
}
