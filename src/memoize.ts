/** Locks repeat the same few texts thousands of times; a daemon reads many locks, so the memory is bounded. */
const limit = 50_000

/** A pure function of a text that answers a text it has seen from memory. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return text => {
    const before = known.get(text)
    if (before !== undefined) return before
    const result = compute(text)
    if (known.size >= limit) known.clear()
    known.set(text, result)
    return result
  }
}
