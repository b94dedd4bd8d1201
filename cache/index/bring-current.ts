import { setImmediate as nextTurn } from 'node:timers/promises'
import { waitForLock } from '../lock/ofd-lock.ts'
import type { Volume } from '../volume/open-volume.ts'
import { fillingLock } from './index-file.ts'
import type { IndexDatabase } from './open-index.ts'
import { REVERSE_INDEX } from './schema.ts'
import { blobSteps } from './sync/blobs.ts'
import { diskSteps } from './sync/disk.ts'
import { environmentSteps } from './sync/environments.ts'
import { packageSteps } from './sync/packages.ts'
import type { Step } from './sync/step.ts'
import { taskSteps } from './sync/tasks.ts'
import { treeSteps } from './sync/trees.ts'

/** Trees before blobs: they tell the sizes of contents. */
const kinds = [treeSteps, blobSteps, packageSteps, environmentSteps, taskSteps]

/**
 * Reads what is on the volume and not in the index, and forgets what is gone. One process does it at a time, in
 * transactions of its own: cut off, it goes on from there the next time. Returns how many things were other.
 */
export async function bringCurrent(
  database: IndexDatabase,
  volume: Volume,
  options: { readonly signal?: AbortSignal } = {},
): Promise<number> {
  const lock = await waitForLock(fillingLock(database.name), options)
  let changes = 0
  try {
    dropReverseIndex(database)
    const apply = database.transaction((step: Step) => step.apply())
    for (const steps of kinds) {
      for (const step of steps(database, volume)) {
        options.signal?.throwIfAborted()
        apply.immediate(step)
        changes += step.changes
        await nextTurn()
      }
    }
    if (changes > 0) database.transaction(() => forgetUnnamed(database)).immediate()
    database.exec(REVERSE_INDEX)
    return changes
  } finally {
    lock.release()
  }
}

/**
 * Takes down inodes and disk blocks of the blobs that are new or others. The index has to be current. Returns the paths
 * of what lies beside blobs and is none.
 */
export async function lookAtBlobs(
  database: IndexDatabase,
  volume: Volume,
  options: { readonly signal?: AbortSignal } = {},
): Promise<string[]> {
  const lock = await waitForLock(fillingLock(database.name), options)
  const foreign: string[] = []
  try {
    const apply = database.transaction((step: Step) => step.apply())
    for (const step of diskSteps(database, volume, foreign)) {
      options.signal?.throwIfAborted()
      apply.immediate(step)
      await nextTurn()
    }
    return foreign
  } finally {
    lock.release()
  }
}

/** Sorting all rows once takes a third of the time of inserting each into its place. */
function dropReverseIndex(database: IndexDatabase): void {
  const any = database.prepare('SELECT 1 FROM environment LIMIT 1').get()
  if (any === undefined) database.exec('DROP INDEX IF EXISTS environment_of_tree')
}

/** How many things on the volume are other than in the index. Changes nothing. */
export function countChanges(database: IndexDatabase, volume: Volume): number {
  let changes = 0
  for (const steps of kinds) {
    for (const step of steps(database, volume)) changes += step.changes
  }
  return changes
}

/** Rows of what is not there and that nothing there names any more. */
function forgetUnnamed(database: IndexDatabase): void {
  database.exec(`
    DELETE FROM tree WHERE listed = 0
      AND id NOT IN (SELECT tree FROM environment_tree)
      AND id NOT IN (SELECT tree FROM package WHERE tree IS NOT NULL);
    DELETE FROM blob WHERE listed = 0 AND id NOT IN (SELECT blob FROM tree_blob);
  `)
}
