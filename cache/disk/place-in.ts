import { isPlain, unescapeName } from '../../src/tree/escaped-name.ts'

/** What to hand to a system call for an escaped path under `root`: Buffer where the path isn't plain. */
export function placeIn(root: string, path: string): string | Buffer {
  return isPlain(path) ? `${root}/${path}` : Buffer.concat([Buffer.from(`${root}/`), unescapeName(path)])
}
