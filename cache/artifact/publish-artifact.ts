import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ArtifactRecord } from '../../src/artifact/artifact-record.ts'
import type { Key } from '../../src/digest.ts'
import { publishFolder, syncFileSystem } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { writeTree } from '../package/write-tree.ts'
import { setAside } from '../verify/heal/set-aside.ts'
import { mendTree } from '../verify/heal/whole/mend-tree.ts'
import { pendingIn } from '../verify/record/damage-record.ts'
import { settleDamageIn } from '../verify/record/record-damage.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { artifactFolder, MANIFEST, stagingFolder, TREE } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { findArtifact, RECORD, type ReadyArtifact, readArtifact } from './find-artifact.ts'

export interface ArtifactPublication {
  /** Id of the staging folder whose `tree/` is sealed; it is gone afterwards. */
  readonly staging: string
  /** Canonical text of the tree. */
  readonly manifest: string
  readonly record: ArtifactRecord
}

const parts: ReadonlySet<string> = new Set([TREE, MANIFEST, RECORD])

/**
 * Makes a sealed tree an artifact. Everything is on disk before the one rename that makes it visible, and the rename
 * is on disk when this returns. Call it with the key's lock and a lease for the staging folder.
 * Errors: VOLUME_NOT_OWNER, DISK_FULL, IO.
 */
export async function publishArtifact(
  volume: Volume,
  { staging: id, manifest, record }: ArtifactPublication,
): Promise<ReadyArtifact> {
  requireOwner(volume)
  const staging = stagingFolder(volume, id)
  const { kind } = record.source
  const key = record.key as Key
  const folder = artifactFolder(volume, kind, key)
  for (const name of onMachine(staging, () => readdirSync(staging))) {
    if (!parts.has(name)) await removeFolder(join(staging, name))
  }
  // Named among the trees, its contents are known to be needed by whatever looks for what nothing needs.
  writeTree(volume, id, manifest)
  onMachine(staging, () => {
    writeFileSync(join(staging, MANIFEST), manifest)
    writeFileSync(join(staging, RECORD), `${JSON.stringify(record, null, 2)}\n`)
    for (const name of [MANIFEST, RECORD]) chmodSync(join(staging, name), 0o444)
    chmodSync(staging, 0o755)
    makeFolders(dirname(folder))
  })
  faultPoint('artifact:before-sync')
  await syncFileSystem(staging)
  faultPoint('artifact:before-rename')
  while (publishFolder(staging, folder) === 'exists') {
    const there = findArtifact(volume, kind, key)
    if (there !== null) {
      await removeFolder(staging)
      return there
    }
    if (await mendThere(volume, staging, record)) continue
    // One whose record is damaged makes room. It is not deleted: containers that have it mounted keep it as it is.
    setAside(volume, folder)
  }
  faultPoint('artifact:after-rename')
  return findArtifact(volume, kind, key)!
}

/** One that is there and damaged becomes whole in its place, since containers may have it mounted. */
async function mendThere(
  volume: Volume,
  staging: string,
  { source, key, tree }: ArtifactRecord,
): Promise<boolean> {
  const there = readArtifact(volume, source.kind, key as Key)
  if (there?.record.tree !== tree) return false
  const folder = dirname(there.path)
  const damage = pendingIn(folder)
  mendTree(volume, { tree: there.path, digest: tree, good: join(staging, TREE) }, staging)
  await syncFileSystem(staging)
  if (damage !== null) settleDamageIn(volume, folder, damage, null)
  return true
}
