/**
 * Runs the two sides in turn, each pair in the other order than the one before, so that what drifts (heat, caches, other
 * work) hits both. A side gives milliseconds, or what has them. The ratio is the median of the pairs' ratios.
 */
export async function comparePaired(pairs, ours, theirs) {
  const measured = []
  for (let pair = 0; pair < pairs; pair++) {
    const first = pair % 2 === 0 ? ours : theirs
    const a = await first()
    const b = await (first === ours ? theirs : ours)()
    measured.push(
      first === ours
        ? { ours: a.milliseconds, theirs: b.milliseconds }
        : { ours: b.milliseconds, theirs: a.milliseconds },
    )
  }
  return {
    ours: median(measured.map(pair => pair.ours)),
    theirs: median(measured.map(pair => pair.theirs)),
    difference: median(measured.map(pair => pair.ours - pair.theirs)),
    ratio: median(measured.map(pair => pair.ours / pair.theirs)),
    ratios: measured.map(pair => pair.ours / pair.theirs),
  }
}

export function median(numbers) {
  return quantile(numbers, 0.5)
}

/** Between the two nearest where none is exact. */
export function quantile(numbers, share) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (sorted.length - 1) * share
  const below = sorted[Math.floor(at)]
  return below + (sorted[Math.ceil(at)] - below) * (at % 1)
}
