import { memoize } from '../memoize.ts'

/** The normalized form of the name of a project, an extra or a group (PEP 503, PEP 685, PEP 735). */
export const normalizeName = memoize(name => name.toLowerCase().replace(/[-_.]+/g, '-'))

/** A valid project, extra or group name, not necessarily normalized (PEP 508, "Names"). */
export function isName(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i.test(text)
}
