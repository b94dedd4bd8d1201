/** The newer of two versions of glibc with two numbers each. */
export function newerGlibc(a: string | null, b: string): string {
  return a !== null && compareGlibc(a, b) >= 0 ? a : b
}

function compareGlibc(a: string, b: string): number {
  const [left, right] = [numbers(a), numbers(b)]
  return left[0] - right[0] || left[1] - right[1]
}

function numbers(version: string): [number, number] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
