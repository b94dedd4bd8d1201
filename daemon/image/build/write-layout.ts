import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { makeFolders } from '../../../cache/disk/make-folder.ts'
import { blobFile, blobFolder } from '../../../cache/image/blob-file.ts'
import {
  architectureOf,
  CONFIG_TYPE,
  DEFAULT_PATH,
  type Descriptor,
  LAYER_TYPE,
  MANIFEST_TYPE,
  type Sha256,
} from '../../../src/image/oci.ts'

/**
 * An OCI layout of one image of one layer, which it takes from where it lies. The layer stays uncompressed: what a
 * compressor makes of it depends on its version. The same layer, machine and time give the same bytes.
 */
export async function writeLayout(
  layout: string,
  layer: string,
  { machine, time }: { machine: string; time: number },
): Promise<void> {
  onMachine(layout, () => makeFolders(blobFolder(layout)))
  const digest = await digestOf(layer)
  const size = onMachine(layer, () => lstatSync(layer)).size
  onMachine(layout, () => renameSync(layer, blobFile(layout, digest)))
  const created = new Date(time * 1000).toISOString()
  const config = writeDocument(layout, CONFIG_TYPE, {
    created,
    architecture: architectureOf(machine),
    os: 'linux',
    config: { Env: [`PATH=${DEFAULT_PATH}`], Cmd: ['/bin/sh'] },
    rootfs: { type: 'layers', diff_ids: [digest] },
    history: [{ created, created_by: 'envd image build' }],
  })
  const manifest = writeDocument(layout, MANIFEST_TYPE, {
    schemaVersion: 2,
    mediaType: MANIFEST_TYPE,
    config,
    layers: [{ mediaType: LAYER_TYPE, digest, size }],
  })
  onMachine(layout, () => {
    writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}\n')
    writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }))
  })
}

function writeDocument(layout: string, mediaType: string, value: object): Descriptor {
  const text = JSON.stringify(value)
  const digest: Sha256 = `sha256:${createHash('sha256').update(text).digest('hex')}`
  onMachine(layout, () => writeFileSync(blobFile(layout, digest), text))
  return { mediaType, digest, size: Buffer.byteLength(text) }
}

async function digestOf(file: string): Promise<Sha256> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  return `sha256:${hash.digest('hex')}`
}
