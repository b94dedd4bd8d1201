import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../cache/disk/machine-error.ts'
import { blobFile } from '../../cache/image/blob-file.ts'
import { EnvdError } from '../../src/error.ts'
import {
  type Descriptor,
  type ImageConfig,
  type Manifest,
  parseConfig,
  parseIndex,
  parseManifest,
  type Sha256,
} from '../../src/image/oci.ts'

/** An image as it lies in a layout. */
export interface LaidOutImage {
  readonly layout: string
  readonly digest: Sha256
  readonly manifest: Manifest
  readonly config: ImageConfig
  /** Manifest, config and layers, each once. */
  readonly blobs: readonly Pick<Descriptor, 'digest' | 'size'>[]
}

/** The one image of a staged layout. Errors: IMAGE_DAMAGED, IO. */
export function readStagedImage(layout: string): LaidOutImage {
  const text = read(join(layout, 'index.json'))
  const [entry] = parseIndex(text) ?? []
  if (entry === undefined) throw damaged(layout, 'its index.json names no image')
  return readLaidOutImage(layout, entry.digest)
}

/** The image of that manifest. Errors: IMAGE_DAMAGED, IO. */
export function readLaidOutImage(layout: string, digest: Sha256): LaidOutImage {
  const text = read(blobFile(layout, digest))
  const manifest = parseManifest(text)
  if (manifest === null) throw damaged(layout, `${digest} is not the manifest of an image`)
  const blobs = new Map<Sha256, number>([[digest, Buffer.byteLength(text)]])
  for (const { digest, size } of [manifest.config, ...manifest.layers]) blobs.set(digest, size)
  return {
    ...{ layout, digest, manifest },
    config: parseConfig(read(blobFile(layout, manifest.config.digest))),
    blobs: [...blobs].map(([digest, size]) => ({ digest, size })),
  }
}

function read(path: string): string {
  return onMachine(path, () => readFileSync(path, 'utf8'))
}

function damaged(layout: string, why: string): EnvdError {
  return new EnvdError('IMAGE_DAMAGED', `${layout}: ${why}`, { details: { layout } })
}
