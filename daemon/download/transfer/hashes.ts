import { createHash, type Hash } from 'node:crypto'
import type { Expected } from '../download-job.ts'

/** What proves the contents of a file: their sha256, and whether they are what was expected. */
export interface Hashes {
  update(bytes: Buffer): void
  finish(): { sha256: string; matches: boolean }
}

/** `size` is needed for git's id. */
export function startHashes(expected: Expected, size: number | null): Hashes {
  const content = createHash('sha256')
  const git: Hash | null = 'gitBlob' in expected ? createHash('sha1').update(`blob ${size}\0`) : null
  return {
    update(bytes) {
      content.update(bytes)
      git?.update(bytes)
    },
    finish() {
      const sha256 = content.digest('hex')
      const matches =
        'sha256' in expected ? sha256 === expected.sha256 : git!.digest('hex') === expected.gitBlob
      return { sha256, matches }
    },
  }
}
