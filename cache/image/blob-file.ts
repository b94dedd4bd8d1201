import { join } from 'node:path'
import { hexOf, type Sha256 } from '../../src/image/oci.ts'

/** Where blobs lie in an OCI image layout (OCI Image Layout Specification, "Blobs"). */
export function blobFolder(layout: string): string {
  return join(layout, 'blobs', 'sha256')
}

export function blobFile(layout: string, digest: Sha256): string {
  return join(blobFolder(layout), hexOf(digest))
}
