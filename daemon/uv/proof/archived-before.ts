import { lstatSync, readdirSync } from 'node:fs'
import { onMachine } from '../../../cache/disk/machine-error.ts'

/**
 * Names of the `.dist-info` folders in those of uv's archives that were unpacked before `sinceMs` (milliseconds since
 * the epoch, on the file system's clock). uv doesn't sync what it unpacks and takes it for whole ever after: a power
 * failure can have cut it off. What was unpacked since can't have been, and its RECORD may be wrong: neither uv nor
 * pip holds the files against it.
 */
export function archivedBefore(archives: readonly string[], sinceMs: number): ReadonlySet<string> {
  const old = archives.filter(archive => onMachine(archive, () => lstatSync(archive)).birthtimeMs < sinceMs)
  return new Set(old.flatMap(archive => onMachine(archive, () => readdirSync(archive)).filter(isDistInfo)))
}

function isDistInfo(name: string): boolean {
  return name.endsWith('.dist-info')
}
