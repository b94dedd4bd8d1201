/** What a canonical form may hold: no numbers but safe integers, no undefined. */
export type Canonical =
  | null
  | boolean
  | number
  | string
  | readonly Canonical[]
  | { readonly [name: string]: Canonical }

/**
 * The JSON Canonicalization Scheme (RFC 8785) for strings, integers, booleans, null, arrays and objects: no
 * white space, members sorted by the UTF-16 code units of their names, the shortest escapes. Unicode
 * normalization is not applied (RFC 8785 section 3.1): different code points are different text.
 */
export function canonicalJson(value: Canonical): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`a canonical form holds no number like ${value}`)
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value).sort()
  return `{${members.map(name => `${JSON.stringify(name)}:${canonicalJson(value[name]!)}`).join(',')}}`
}

function isList(value: object): value is readonly Canonical[] {
  return Array.isArray(value)
}
