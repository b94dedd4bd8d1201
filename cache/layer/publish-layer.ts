import { chmodSync, lstatSync, lutimesSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LayerRecord } from '../../src/project/layer-record.ts'
import { STORE_MTIME } from '../../src/tree/store-mtime.ts'
import { publishFolder, syncFileSystem } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import { layerFolder, layerTree, TREE } from '../volume/layout.ts'
import type { Volume } from '../volume/open-volume.ts'
import { requireOwner } from '../volume/require-owner.ts'

/**
 * Seals `folder/tree` and makes `folder`, in a leased staging folder, a layer: all of it is on disk before the one rename
 * that makes it visible. Call it with the layer's lock. Returns its `tree/`. Errors: VOLUME_NOT_OWNER, DISK_FULL, IO.
 */
export async function publishLayer(volume: Volume, folder: string, record: LayerRecord): Promise<string> {
  requireOwner(volume)
  const place = layerFolder(volume, record.key)
  onMachine(folder, () => {
    seal(join(folder, TREE))
    writeFileSync(join(folder, 'layer.json'), `${JSON.stringify(record, null, 2)}\n`)
    chmodSync(join(folder, 'layer.json'), 0o444)
    chmodSync(folder, 0o755)
    makeFolders(dirname(place))
  })
  await syncFileSystem(folder)
  publishFolder(folder, place)
  return layerTree(volume, record.key)
}

/** Nobody writes there any more, and nothing is set-uid. Blobs that are linked into it are as they have to be. */
function seal(path: string): void {
  const stats = lstatSync(path)
  if (stats.isDirectory()) for (const name of readdirSync(path)) seal(join(path, name))
  if (stats.isCharacterDevice()) return
  const mode = stats.isDirectory() || (stats.mode & 0o111) !== 0 ? 0o555 : 0o444
  if (!stats.isSymbolicLink() && (stats.mode & 0o7777) !== mode) chmodSync(path, mode)
  if (stats.mtimeMs !== STORE_MTIME * 1000) lutimesSync(path, STORE_MTIME, STORE_MTIME)
}
