import { compareDotted } from '../version/compare-dotted.ts'

/** The newer of two versions of glibc. */
export function newerGlibc(a: string | null, b: string): string {
  return a !== null && compareDotted(a, b) >= 0 ? a : b
}
