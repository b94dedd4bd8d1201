import { createHash, randomUUID } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  futimesSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { EnvdError } from '../../../src/error.ts'
import { STORE_MTIME } from '../../../src/tree/store-mtime.ts'
import { onMachine } from '../../disk/machine-error.ts'

const chunk = 1 << 20

/**
 * Puts a copy in the place of a blob that can have no more links, or of a damaged one (from another file with its
 * contents). The old inode lives on in the environments that have it. The copy is made in `folder`, of the same file
 * system. VOLUME_CORRUPT where the contents aren't what the name says: damage is not multiplied.
 */
export function renewBlob(
  blob: string | Buffer,
  content: { readonly sha256: string; readonly executable: boolean },
  folder: string,
  from: string | Buffer = blob,
): void {
  const copy = join(folder, `copy-${randomUUID()}`)
  onMachine(blob.toString(), () => {
    try {
      const sha256 = copyContent(from, copy, content.executable ? 0o555 : 0o444)
      if (sha256 !== content.sha256) {
        throw new EnvdError('VOLUME_CORRUPT', `${from} holds other contents than its name says`, {
          details: { path: from.toString(), sha256 },
        })
      }
      renameSync(copy, blob)
    } finally {
      rmSync(copy, { force: true })
    }
  })
}

function copyContent(from: string | Buffer, to: string, mode: number): string {
  const digest = createHash('sha256')
  const buffer = Buffer.allocUnsafe(chunk)
  const source = openSync(from, 'r')
  try {
    const target = openSync(to, 'wx', mode)
    try {
      for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer)) {
        digest.update(buffer.subarray(0, read))
        for (let written = 0; written < read; ) written += writeSync(target, buffer, written, read - written)
      }
      fchmodSync(target, mode)
      futimesSync(target, STORE_MTIME, STORE_MTIME)
      fsyncSync(target)
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
  return digest.digest('hex')
}
