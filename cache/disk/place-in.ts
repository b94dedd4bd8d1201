import { isPlain, unescapeName } from '../../src/tree/escaped-name.ts'

/** What to hand to a system call for an escaped path under `root`: Buffer where the path isn't plain. */
export function placeIn(root: string, path: string): string | Buffer {
  return isPlain(path) ? `${root}/${path}` : Buffer.concat([Buffer.from(`${root}/`), unescapeName(path)])
}

/** The same for a path as latin1 text of its bytes: only where ASCII is left do latin1 and UTF-8 differ. */
export function placeOfLatin1(path: string): string | Buffer {
  return /[\x80-\xff]/.test(path) ? Buffer.from(path, 'latin1') : path
}
