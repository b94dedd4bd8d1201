/** The name that a mistyped one most likely meant, or null where none is close. */
export function nearestName(mistyped: string, names: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(mistyped.length / 3)) + 1
  for (const name of names) {
    const distance = name.startsWith(mistyped) && mistyped.length > 1 ? 1 : editDistance(mistyped, name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** Inserted, deleted, replaced or swapped characters (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        previous[j]! + 1,
        row[j - 1]! + 1,
        replaced,
        swapped ? beforePrevious[j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforePrevious = previous
    previous = row
  }
  return previous[b.length]!
}
