import { chmodSync } from 'node:fs'
import { onMachine } from '../../disk/machine-error.ts'
import type { Found } from '../../disk/walk-tree.ts'

/** Permission bits in a sealed tree: nobody writes; a file that anybody may execute, everybody may. */
export function sealedMode({ kind, mode }: Pick<Found, 'kind' | 'mode'>): number {
  return kind === 'directory' || (mode & 0o111) !== 0 ? 0o555 : 0o444
}

/** Gives files and folders their sealed mode where they don't have it yet; links have none of their own. */
export function setModes(entries: readonly Found[]): void {
  for (const entry of entries) {
    const mode = sealedMode(entry)
    if (entry.kind === 'link' || entry.mode === mode) continue
    onMachine(entry.place.toString(), () => chmodSync(entry.place, mode))
  }
}
