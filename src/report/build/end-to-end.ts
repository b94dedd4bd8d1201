/**
 * How many times as fast all of it is where preparing takes `share` of the time and `reduction` of that is saved, both
 * from 0 to 1 (Amdahl's law): `1 / ((1 − p) + p·(1 − r))`. Infinite where nothing else takes time and all is saved.
 */
export function endToEnd(share: number, reduction: number): number {
  return 1 / (1 - share + share * (1 - reduction))
}
