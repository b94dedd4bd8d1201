import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolder } from '../../../cache/disk/make-folder.ts'
import { removeFolder } from '../../../cache/disk/remove-folder.ts'
import { blobFile } from '../../../cache/image/blob-file.ts'
import { publishLayer } from '../../../cache/layer/publish-layer.ts'
import { withStagingFolder } from '../../../cache/lease/with-staging.ts'
import { imageLayout, TREE } from '../../../cache/volume/layout.ts'
import type { Key } from '../../../src/digest.ts'
import { unpackImage } from '../../image/prove/unpack-image.ts'
import { readLaidOutImage } from '../../image/staged-image.ts'
import { installedPythons } from '../../python/find/installed-pythons.ts'
import { bringUv } from '../../uv/bring-uv.ts'
import { copyFolder } from '../checkout/copy-folder.ts'
import { linkBinaries } from '../wheel/binaries.ts'
import { hideWheel } from '../wheel/hide-wheel.ts'
import { installInBox } from './install-in-box.ts'
import type { LayerWork } from './layer-work.ts'
import { requireBackend } from './require-backend.ts'
import { tidyLayer } from './tidy-layer.ts'

/**
 * Installs the project editable, as its containers would: in their image, with the environment and a copy of the checkout
 * where they will be, and without a network. The layer is what that adds. Returns its `tree/`. Call it with the lock.
 */
export async function makeLayer(work: LayerWork, key: Key): Promise<string> {
  const { volume, project, signal, environment, report } = work
  requireBackend(work)
  report({ phase: 'install', message: 'installing the project editable' })
  const image = await work.image()
  const interpreters = installedPythons(environment).map(({ path }) => path)
  const onMessage = (message: string) => report({ phase: 'install', message })
  const uv = await bringUv(volume, { interpreters, environment, signal, onMessage })
  return withStagingFolder(volume, [work.key], async ({ folder }) => {
    // Closed to others: what an image holds, or a build backend makes, must not be run from here.
    const closed = join(folder, 'closed')
    const [root = '', copy = '', layer = ''] = ['root', 'checkout', 'layer'].map(name => join(closed, name))
    onMachine(folder, () => {
      makeFolder(closed, 0o700)
      for (const path of [root, copy, layer, join(layer, TREE)]) makeFolder(path)
    })
    const { layout, manifest } = readLaidOutImage(imageLayout(volume), image.digest)
    const layers = manifest.layers.map(({ digest }) => blobFile(layout, digest))
    await unpackImage(layers, root, signal)
    await copyFolder(work.checkout, copy, signal)
    const tree = join(layer, TREE)
    await installInBox(work, { root, copy, out: tree, uv: uv.path })
    const installed = tidyLayer(tree)
    if (project.binaryFrom !== null) linkBinaries(work, project.binaryFrom, tree)
    const hidden = await hideWheel(work, installed.name, tree)
    // The layer goes to the disk; these need not.
    for (const path of [root, copy]) await removeFolder(path)
    return publishLayer(volume, layer, {
      ...{ schemaVersion: 1, key, environment: work.key, project: installed, path: project.path, hidden },
      madeAt: new Date().toISOString(),
    })
  })
}
