import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { treeDigest } from '../../src/tree/manifest.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolder } from '../disk/make-folder.ts'
import { readIfThere } from '../disk/read-if-there.ts'
import { stagingFolder, treeFile } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'

/**
 * Puts a tree's canonical text under its digest, which is returned; one that is there and whole stays. Not durable
 * by itself: a text cut off by a power failure is found by its digest and replaced.
 */
export function writeTree(volume: Volume, staging: string, manifest: string): string {
  const digest = treeDigest(manifest)
  const file = treeFile(volume, digest)
  onMachine(file, () => {
    if (readIfThere(file) === manifest) return
    const temporary = join(stagingFolder(volume, staging), `tree-${randomUUID()}`)
    writeFileSync(temporary, manifest, { flag: 'wx' })
    chmodSync(temporary, 0o444)
    makeFolder(dirname(file))
    renameSync(temporary, file)
  })
  return digest
}
