import { chmodSync } from 'node:fs'
import type { TreeEntry } from '../../src/tree/manifest.ts'
import { onMachine } from '../disk/machine-error.ts'
import { placeIn } from '../disk/place-in.ts'

/** Nobody writes into a tree's folders any more, whatever the umask was. */
export function sealFolders(tree: string, entries: readonly TreeEntry[]): void {
  onMachine(tree, () => {
    for (const { kind, path } of entries) if (kind === 'directory') chmodSync(placeIn(tree, path), 0o555)
    chmodSync(tree, 0o555)
  })
}
