import { chmodSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import type { Receipt } from '../../src/report/receipt.ts'
import { publishFolder, syncFileSystem } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { removeFolder } from '../disk/remove-folder.ts'
import { faultPoint } from '../volume/fault-point.ts'
import { environmentFolder, MANIFEST, RECEIPT, SUMMARY, stagingFolder, TREE } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'
import { findEnvironment, type ReadyEnvironment } from './find-environment.ts'
import { findUndamaged } from './find-undamaged.ts'
import { writeRecords } from './receipt.ts'
import { undoRemoval } from './remove-environment.ts'
import { setEnvironmentAside } from './set-environment-aside.ts'

export interface Publication {
  readonly key: Key
  /** Id of the staging folder whose `tree/` was sealed; it is gone afterwards. */
  readonly staging: string
  /** `SealedTree.manifest`. */
  readonly manifest: string
  readonly receipt: Receipt
}

/** `published` is false where the environment was there already, and ours was dropped. */
export interface Published extends ReadyEnvironment {
  readonly published: boolean
}

const parts: ReadonlySet<string> = new Set([TREE, MANIFEST, RECEIPT, SUMMARY])

/**
 * Makes a sealed tree an environment. Everything is on disk before the one rename that makes it visible, and
 * the rename is on disk when this returns. What else a build left beside `tree/` is deleted. Call it with the
 * key's build lock and a lease for the staging folder. Errors: VOLUME_NOT_OWNER, DISK_FULL, IO.
 */
export async function publishEnvironment(volume: Volume, publication: Publication): Promise<Published> {
  requireOwner(volume)
  const { key, manifest, receipt } = publication
  const staging = stagingFolder(volume, publication.staging)
  faultPoint('publish:before-files')
  await removeLeftovers(staging)
  writeRecords(staging, manifest, receipt)
  openToAll(staging)
  faultPoint('publish:before-sync')
  await syncFileSystem(staging)
  faultPoint('publish:before-rename')
  const published = moveIn(volume, staging, key)
  faultPoint('publish:after-rename')
  if (!published) await removeFolder(staging)
  return { ...findEnvironment(volume, key)!, published }
}

async function removeLeftovers(staging: string): Promise<void> {
  for (const name of onMachine(staging, () => readdirSync(staging))) {
    if (!parts.has(name)) await removeFolder(join(staging, name))
  }
}

/** Whatever the umask: containers run as other users, and others may read receipts. */
function openToAll(staging: string): void {
  onMachine(staging, () => {
    chmodSync(staging, 0o755)
    for (const name of [MANIFEST, RECEIPT, SUMMARY]) chmodSync(join(staging, name), 0o444)
  })
}

/** False where a whole environment is there already; one that lost its records, or is damaged, makes room. */
function moveIn(volume: Volume, staging: string, key: Key): boolean {
  const folder = environmentFolder(volume, key)
  while (publishFolder(staging, folder) === 'exists') {
    undoRemoval(volume, key)
    if (findUndamaged(volume, key) !== null && existsSync(join(folder, RECEIPT))) return false
    setEnvironmentAside(volume, key)
  }
  return true
}
