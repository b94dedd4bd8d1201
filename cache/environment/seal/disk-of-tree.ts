import { lstatSync } from 'node:fs'
import { parseEnvironmentManifest } from '../../../src/tree/environment-manifest.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { placeIn } from '../../disk/place-in.ts'
import { diskBytes } from '../../disk/remove-folder.ts'
import type { AssembledTree } from '../assemble-environment.ts'

/** Bytes of disk blocks of a tree that was assembled: its folders, and the files that no package has. */
export function diskOfTree(tree: string, { manifest, diskBytes: folders }: AssembledTree): number {
  const { skeleton } = parseEnvironmentManifest(manifest)
  return skeleton.reduce((sum, { kind, path }) => {
    if (kind === 'directory') return sum
    return sum + diskBytes(onMachine(tree, () => lstatSync(placeIn(tree, path))))
  }, folders)
}
