import type { Digest } from '../../digest.ts'
import type { Place } from '../../error.ts'
import type { LockedFile } from '../lock.ts'
import { isDigest, preferredDigest, readDigest } from './locked-digest.ts'
import { refuse } from './refuse.ts'

/** A file with the digests a lock gives for it, each `<algorithm>:<hex>`. Throws LOCK_SYNTAX. */
export function lockedFile(
  filename: string,
  hashes: readonly string[],
  size: number | null,
  locate: () => Place,
): LockedFile {
  const read = hashes.map(readDigest)
  const wrong = read.indexOf('malformed')
  if (wrong !== -1) refuse('LOCK_SYNTAX', locate(), `${filename} has a malformed digest: ${hashes[wrong]}`)
  const digest = preferredDigest(read.filter(isDigest))
  const weak = digest === null && hashes.length > 0 ? hashes[0]!.split(/[:=]/, 1)[0]! : null
  return new LocatedFile(filename, digest, weak, size, locate)
}

/** Its place costs a search, and is no part of what JSON sees. */
class LocatedFile implements LockedFile {
  readonly filename: string
  readonly digest: Digest | null
  readonly weak: string | null
  readonly size: number | null
  readonly #locate: () => Place

  constructor(
    filename: string,
    digest: Digest | null,
    weak: string | null,
    size: number | null,
    locate: () => Place,
  ) {
    this.filename = filename
    this.digest = digest
    this.weak = weak
    this.size = size
    this.#locate = locate
  }

  get place(): Place {
    return this.#locate()
  }
}
