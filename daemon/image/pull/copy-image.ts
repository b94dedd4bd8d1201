import { linkSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { blobFile, blobFolder } from '../../../cache/image/blob-file.ts'
import { damagedBlobs } from '../../../cache/image/damaged-blobs.ts'
import type { Sha256 } from '../../../src/image/oci.ts'
import { watchArrival } from '../../tool/watch-arrival.ts'
import { type FoundManifest, referenceTo } from './find-manifest.ts'
import { runSkopeo, type Skopeo, withoutTls } from './skopeo.ts'

/**
 * Copies the image into a new layout, `folder`/oci, under `name`. Layers that `known` (the volume's layout) has whole are
 * linked instead; returns their digests. Errors: those of runSkopeo.
 */
export async function copyImage(
  skopeo: Skopeo,
  folder: string,
  { found, name, known }: { found: FoundManifest; name: string; known: string },
): Promise<ReadonlySet<Sha256>> {
  const layout = join(folder, 'oci')
  const linked = await linkKnown(known, layout, found, skopeo.signal)
  const { layers } = found.manifest
  const total = layers.reduce((bytes, { size }) => bytes + size, 0)
  const onProgress = (done: number, total: number) =>
    skopeo.report({ phase: 'download', message: 'copying the image', done, total, unit: 'bytes' })
  // skopeo writes a blob beside the others, and moves it when it is whole.
  await watchArrival({ folders: [layout, blobFolder(layout)], total, onProgress }, () =>
    // Relative: skopeo ends a layout's path at the first colon.
    runSkopeo(skopeo, folder, [
      'copy',
      ...(withoutTls(skopeo.reference) ? ['--src-tls-verify=false'] : []),
      // A layer that came uncompressed stays so: its digest is the one that was pinned.
      '--dest-oci-accept-uncompressed-layers',
      referenceTo(skopeo.reference, found.digest),
      `oci:oci:${name}`,
    ]),
  )
  return linked
}

async function linkKnown(
  known: string,
  layout: string,
  { manifest }: FoundManifest,
  signal: AbortSignal,
): Promise<Set<Sha256>> {
  const damaged = new Set(
    (await damagedBlobs(known, manifest.layers, { signal })).map(({ digest }) => digest),
  )
  const whole = new Set(manifest.layers.map(({ digest }) => digest).filter(digest => !damaged.has(digest)))
  onMachine(layout, () => {
    makeFolders(blobFolder(layout))
    for (const digest of whole) linkSync(blobFile(known, digest), blobFile(layout, digest))
  })
  return whole
}
