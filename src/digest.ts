/** A content digest as locks write it: `<algorithm>:<lowercase hex>`. */
export type Digest = `sha256:${string}` | `sha384:${string}` | `sha512:${string}`

/** An environment key or package key: 64 lowercase hex digits (sha256 of a canonical form). */
export type Key = string & { readonly __brand: 'Key' }

export function isKey(text: string): text is Key {
  return /^[0-9a-f]{64}$/.test(text)
}
