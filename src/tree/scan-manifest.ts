import { MANIFEST_HEADER } from './manifest.ts'

/** What to do with each entry; paths and targets as they stand in the text, escaped. */
export interface ManifestVisitor {
  directory?(path: string): void
  file?(path: string, sha256: string, executable: boolean, size: number): void
  link?(path: string, target: string): void
}

const lineFeed = '\n'
const tab = '\t'
const [file, directory] = [0x66, 0x64]
const modeAt = 2
const pathOfDirectory = 7
const pathOfLink = 2

/**
 * Goes over a manifest whose digest was checked, so that its text is known to be canonical (manifest.ts): three
 * times as fast as parsing it, and keeps nothing. Takes UTF-8 text, or the same bytes read as latin1.
 */
export function scanManifest(text: string, visitor: ManifestVisitor): void {
  for (let at = MANIFEST_HEADER.length + 1; at < text.length; ) {
    const end = text.indexOf(lineFeed, at)
    const kind = text.charCodeAt(at)
    if (kind === file) {
      if (visitor.file) {
        const sizeAt = modeAt + 5 + at
        const sizeEnd = text.indexOf(tab, sizeAt)
        const sha256 = text.slice(sizeEnd + 1, sizeEnd + 65)
        const executable = text.charCodeAt(at + modeAt + 3) % 2 === 1
        visitor.file(text.slice(sizeEnd + 66, end), sha256, executable, Number(text.slice(sizeAt, sizeEnd)))
      }
    } else if (kind === directory) visitor.directory?.(text.slice(at + pathOfDirectory, end))
    else if (visitor.link) {
      const pathEnd = text.indexOf(tab, at + pathOfLink)
      visitor.link(text.slice(at + pathOfLink, pathEnd), text.slice(pathEnd + 1, end))
    }
    at = end + 1
  }
}
