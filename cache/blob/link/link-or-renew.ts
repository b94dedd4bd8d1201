import { linkBlob } from './link-blob.ts'
import { linkError } from './link-error.ts'
import { renewBlob } from './renew-blob.ts'

/**
 * Links a blob, after it made room by one more copy of it where it has all the links it may have. Returns how many
 * copies that took; `exists` as linkBlob. `folder` is where a copy is made. Errors: LINK_OTHER_FILE_SYSTEM,
 * LINK_NOT_PERMITTED, LINK_LIMIT (a fresh copy can't be linked), VOLUME_CORRUPT, IO.
 */
export function linkOrRenew(
  blob: string,
  content: { readonly sha256: string; readonly executable: boolean },
  to: string | Buffer,
  folder: string,
): { readonly outcome: 'linked' | 'exists'; readonly copies: number } {
  const first = tryLink(blob, to)
  if (first !== 'full') return { outcome: first, copies: 0 }
  renewBlob(blob, content, folder)
  const second = tryLink(blob, to)
  if (second !== 'full') return { outcome: second, copies: 1 }
  const full = Object.assign(new Error('EMLINK'), { code: 'EMLINK', syscall: 'link' })
  throw linkError(full, blob, to.toString())
}

function tryLink(blob: string, to: string | Buffer): 'linked' | 'exists' | 'full' {
  try {
    return linkBlob(blob, to)
  } catch (error) {
    throw linkError(error, blob, to.toString())
  }
}
