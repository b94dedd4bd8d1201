import type { Digest } from '../../digest.ts'

/** Hex digits of each algorithm that pins a file. The order is the order of preference. */
const lengths = { sha256: 64, sha512: 128, sha384: 96 } as const

export type DigestProblem = 'malformed' | 'weak'

/** `<algorithm>:<hex>`, or what is wrong with it. Anything but sha256, sha384 and sha512 counts as weak. */
export function readDigest(text: string): Digest | DigestProblem {
  const [, algorithm = '', hex = ''] = /^([a-z0-9_]+)[:=]([0-9a-f]+)$/.exec(text.toLowerCase()) ?? []
  if (algorithm === '') return 'malformed'
  if (!Object.hasOwn(lengths, algorithm)) return 'weak'
  if (hex.length !== lengths[algorithm as keyof typeof lengths]) return 'malformed'
  return `${algorithm}:${hex}` as Digest
}

export function isDigest(read: Digest | DigestProblem): read is Digest {
  return read.includes(':')
}

/** Of several digests of one file: sha256 where there is one, else the strongest. */
export function preferredDigest(digests: readonly Digest[]): Digest | null {
  for (const algorithm of Object.keys(lengths)) {
    const found = digests.find(digest => digest.startsWith(`${algorithm}:`))
    if (found !== undefined) return found
  }
  return null
}
