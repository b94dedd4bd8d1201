import { createHash } from 'node:crypto'
import { EnvdError } from '../../../src/error.ts'
import {
  chooseForMachine,
  type Manifest,
  parseIndex,
  parseManifest,
  type Sha256,
} from '../../../src/image/oci.ts'
import { runSkopeo, type Skopeo, withoutTls } from './skopeo.ts'

export interface FoundManifest {
  /** The pinned one, or of an index that for this machine. */
  readonly digest: Sha256
  readonly manifest: Manifest
}

/**
 * The manifest that a pinned reference leads to, with every document on the way held against its digest. Errors:
 * those of runSkopeo, IMAGE_DAMAGED, IMAGE_PULL_FAILED.
 */
export async function findManifest(skopeo: Skopeo, folder: string, machine: string): Promise<FoundManifest> {
  const pinned = digestOf(skopeo.reference)
  const text = await readDocument(skopeo, folder, pinned)
  const index = parseIndex(text)
  if (index === null) return manifestOf(skopeo, pinned, text)
  const chosen = chooseForMachine(index, machine)
  if (chosen === null) {
    const there = index.map(({ platform }) => `${platform?.os}/${platform?.architecture}`).join(', ')
    throw new EnvdError('IMAGE_PULL_FAILED', `${skopeo.reference} has no image for ${machine}`, {
      hint: `It has ${there}. Name another image, or prepare on such a machine.`,
      details: { reference: skopeo.reference, machine },
    })
  }
  return manifestOf(skopeo, chosen.digest, await readDocument(skopeo, folder, chosen.digest))
}

/** The reference with another digest. */
export function referenceTo(reference: string, digest: Sha256): string {
  return reference.replace(/@sha256:[0-9a-f]{64}$/, `@${digest}`)
}

function digestOf(reference: string): Sha256 {
  return reference.slice(reference.lastIndexOf('@') + 1) as Sha256
}

async function readDocument(skopeo: Skopeo, folder: string, digest: Sha256): Promise<string> {
  const tls = withoutTls(skopeo.reference) ? ['--tls-verify=false'] : []
  const reference = referenceTo(skopeo.reference, digest)
  const text = await runSkopeo(skopeo, folder, ['inspect', '--raw', ...tls, reference])
  const got = `sha256:${createHash('sha256').update(text).digest('hex')}`
  if (got === digest) return text
  throw new EnvdError('IMAGE_DAMAGED', `${reference}: what came has the digest ${got}`, {
    hint: 'The registry serves other bytes than those that are pinned; do not trust it until you know why.',
    details: { reference, got },
  })
}

function manifestOf({ reference }: Skopeo, digest: Sha256, text: string): FoundManifest {
  const manifest = parseManifest(text)
  if (manifest !== null) return { digest, manifest }
  throw new EnvdError('IMAGE_PULL_FAILED', `${referenceTo(reference, digest)} is not an image`, {
    hint: 'envd takes images with an OCI manifest, or one of Docker’s schema 2.',
    details: { reference, digest },
  })
}
