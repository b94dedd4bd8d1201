import type { LockedSource } from '../lock.ts'
import { filenameOf } from './locked-url.ts'

/** Suffixes by which pip and uv tell an archive from a folder. */
const archive = /\.(whl|zip|tar|tgz|tbz|txz|tlz|tar\.(gz|bz2|xz|lz|lzma|zst))$/i

/** What a path or `file:` URL names by its suffix: a file, or else a folder of the project, which is left out. */
export function localSource(path: string): LockedSource {
  return archive.test(filenameOf(path) ?? path)
    ? { kind: 'local file', path }
    : { kind: 'member', member: 'path', path }
}
