/**
 * Compares versions that are numbers between dots, as glibc, CUDA and NVIDIA's drivers have them; a missing number is 0.
 * Below 0 where `a` comes first.
 */
export function compareDotted(a: string, b: string): number {
  const [left, right] = [a, b].map(version => version.split('.').map(Number))
  for (let at = 0; at < Math.max(left!.length, right!.length); at++) {
    const difference = (left![at] ?? 0) - (right![at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
