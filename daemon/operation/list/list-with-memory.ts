import { type Stats, statSync } from 'node:fs'
import { findEnvironment } from '../../../cache/environment/find-environment.ts'
import { isAtRest } from '../../../cache/index/file-identity.ts'
import {
  fileState,
  isState,
  recallTasks,
  rememberTasks,
  type SeenSummary,
  type SeenTask,
} from '../../../cache/index/seen-tasks.ts'
import { withIndex } from '../../../cache/index/with-index.ts'
import { SUMMARY } from '../../../cache/volume/layout.ts'
import type { TaskRow } from '../../../src/api/operations.ts'
import type { Key } from '../../../src/digest.ts'
import { keyFact, readKeyFact, taskFact } from '../../prepare/task/known-key.ts'
import { readTask } from '../../prepare/task/read-task.ts'
import { taskNames } from '../../prepare/task/task-names.ts'
import { indexPlace } from '../index/index-place.ts'
import { listDirectly } from './list-directly.ts'
import type { Listing } from './listing.ts'
import { rowOrProblem, taskRow } from './task-row.ts'

/**
 * The same rows as listDirectly's of the tasks among `names`, in that order. Reads only those whose files are other
 * than when they were last listed.
 */
export async function listWithMemory(listing: Listing, names: readonly string[]): Promise<TaskRow[]> {
  const { lockfiles } = listing.configuration
  const place = indexPlace(listing.volume, listing.note)
  try {
    return await withIndex(place, database => {
      const seen = recallTasks(database, lockfiles)
      const news = new Map<string, SeenTask | null>()
      const rows: TaskRow[] = []
      for (const task of names) {
        const file = statOf(`${lockfiles}/${task}/task.toml`)
        if (file === undefined) continue
        const before = seen.get(task)
        seen.delete(task)
        rows.push(rowOrProblem(task, () => look(listing, { task, file, before }, news)))
      }
      for (const task of seen.keys()) news.set(task, null)
      if (news.size > 0) rememberTasks(database, lockfiles, news)
      return rows
    })
  } catch (error) {
    // The index makes this fast; nothing depends on it.
    place.note(`listing without the index: ${(error as Error).message}`)
    return listDirectly(listing, taskNames(lockfiles))
  }
}

/** Paths are put together by hand: join() takes as long as the system call. */
function look(
  listing: Listing,
  { task, file, before }: { task: string; file: Stats; before: SeenTask | undefined },
  news: Map<string, SeenTask | null>,
): TaskRow {
  const folder = `${listing.configuration.lockfiles}/${task}`
  const still = before !== undefined && isStill(listing, folder, file, before)
  const { seen, atRest } = still ? { seen: before, atRest: true } : readAnew(listing, task, folder)
  const key = seen.key ?? readKeyFact(listing.volume, seen.fact)
  const ready = key && summaryOf(listing, key, seen.ready)
  const isNew = seen !== before || key !== seen.key || ready !== seen.ready
  if (isNew && atRest) news.set(task, { ...seen, key, ready })
  return taskRow(listing, task, { ...seen, key }, ready)
}

function isStill(listing: Listing, folder: string, file: Stats, seen: SeenTask): boolean {
  return (
    isState(file, seen.file) &&
    isState(statOf(`${folder}/${seen.lock}`), seen.lockState) &&
    listing.target(seen.python, seen.baseImage).circumstances === seen.circumstances
  )
}

/** What was written since shortly before it was read may have been written again. */
function readAnew(listing: Listing, task: string, folder: string): { seen: SeenTask; atRest: boolean } {
  const began = Date.now()
  const input = readTask(listing.configuration.lockfiles, task)
  const { lock, python, baseImage } = input.task
  const { target, circumstances } = listing.target(python, baseImage)
  const file = statSync(`${folder}/task.toml`)
  const lockStats = statSync(`${folder}/${lock}`)
  return {
    atRest: isAtRest(file, began) && isAtRest(lockStats, began),
    seen: {
      ...{ lock, python, baseImage, circumstances },
      file: fileState(file),
      lockState: fileState(lockStats),
      files: taskFact(input),
      fact: keyFact(input, target),
      key: null,
      ready: null,
    },
  }
}

function summaryOf(listing: Listing, key: Key, seen: SeenSummary | null): SeenSummary | null {
  const stats = statOf(`${listing.volume.root}/envs/${key}/${SUMMARY}`)
  if (stats === undefined) return null
  if (seen !== null && isState(stats, seen.file)) return seen
  const found = findEnvironment(listing.volume, key)
  return found && { file: fileState(stats), packages: found.summary.packages, bytes: found.summary.bytes }
}

/** What can't be looked at isn't there, as existsSync says. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
