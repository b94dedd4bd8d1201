import { notExpressible, refuseCharacters } from './rendered.ts'

/** Mount options of the OCI runtime specification (config.md, "Mounts"), as CDI takes them too. */

export const bindOptions: readonly string[] = ['rbind', 'rro', 'nosuid', 'nodev']

/** With `exec`: what is compiled at run time is loaded from there. */
export function scratchOptions(bytes: number | null): string[] {
  return ['mode=1777', 'nosuid', 'nodev', ...(bytes === null ? [] : [`size=${bytes}`])]
}

/**
 * A read-only overlay: lower folders alone, the first on top (kernel, filesystems/overlayfs.rst, "Multiple lower
 * layers"). mount(2) cuts its options off at a page without a word.
 */
export function overlayOptions(tool: string, lower: readonly string[]): string[] {
  for (const folder of lower) refuseCharacters(tool, folder, /[:,\\]/)
  const text = `lowerdir=${lower.join(':')}`
  const bytes = new TextEncoder().encode(text).length
  if (bytes > 4000)
    throw notExpressible(tool, lower[0]!, `an overlay of ${lower.length} folders with paths this long`)
  return [text, 'ro', 'nosuid', 'nodev']
}
