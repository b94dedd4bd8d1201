import type { Digest } from '../../digest.ts'
import { isDigest, readDigest } from '../locked/locked-digest.ts'
import { refuse } from '../locked/refuse.ts'
import type { RequirementLine } from './requirement-lines.ts'

export interface HashedRequirement {
  /** The requirement alone. */
  readonly requirement: string
  readonly digests: readonly Digest[]
}

/**
 * Separates a requirement from the `--hash` options behind it. Throws LOCK_WEAK_DIGEST, LOCK_SYNTAX for a
 * malformed digest, and LOCK_OPTION for any other option.
 */
export function separateHashes(line: RequirementLine, file: string): HashedRequirement {
  const [requirement = '', ...options] = line.text.split(/\s+(?=--?[A-Za-z])/)
  const digests = options.map(option => {
    const [, hash] = /^--hash[\s=]+(\S+)$/.exec(option) ?? []
    if (hash === undefined) {
      const name = option.split(/[\s=]/, 1)[0]!
      refuse(
        'LOCK_OPTION',
        { file, line: line.lineOf(name) },
        `the option ${name} is not supported in a lock`,
      )
    }
    return readHash(hash, line, file)
  })
  return { requirement, digests }
}

function readHash(hash: string, line: RequirementLine, file: string): Digest {
  const digest = readDigest(hash)
  if (isDigest(digest)) return digest
  const place = { file, line: line.lineOf(hash) }
  if (digest === 'malformed') refuse('LOCK_SYNTAX', place, `malformed digest: ${hash}`)
  return refuse('LOCK_WEAK_DIGEST', place, `${hash.split(':', 1)[0]} is not sha256, sha384 or sha512`)
}
