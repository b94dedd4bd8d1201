import type { Stats } from 'node:fs'

/**
 * Tells one file from a later one of the same name: an inode's number is used again, with its time of birth it is
 * not. (A file system that keeps no birth times gives ctime for it: then a file that was only touched counts as new.)
 */
export function fileIdentity({ dev, ino, size, birthtimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${birthtimeMs}`
}

/** Younger than this, in milliseconds, another change may still get the same time: timestamps tick, some in whole seconds. */
const restMs = 2000

/**
 * State of a file or folder that changes in place; equal states have equal contents. Null while it changed too short
 * a time ago to tell, also for a time in the future.
 */
export function restingState(stats: Stats, nowMs: number): string | null {
  return isAtRest(stats, nowMs) ? stateOf(stats) : null
}

export function isAtRest({ mtimeMs, ctimeMs }: Stats, nowMs: number): boolean {
  return nowMs - Math.max(mtimeMs, ctimeMs) > restMs
}

export function stateOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
}
