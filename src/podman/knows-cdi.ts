import { compareDotted } from '../version/compare-dotted.ts'

/** The first podman that takes CDI devices (its release notes). */
export const FIRST_WITH_CDI = '4.1.0'

/** Whether a podman of that version takes devices by CDI. */
export function knowsCdi(version: string): boolean {
  return compareDotted(version, FIRST_WITH_CDI) >= 0
}
