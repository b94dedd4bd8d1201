import { isPlain, unescapeName } from '../../../src/tree/escaped-name.ts'

/*
 * Threads read a manifest as one character for each byte (latin1), so that a path is a cheap piece of it. These tell
 * what such a piece stands for.
 */

/** The escaped path as text. */
export function textOf(piece: string): string {
  return isPlain(piece) ? piece : Buffer.from(piece, 'latin1').toString('utf8')
}

export function bytesOf(piece: string): Buffer {
  return Buffer.from(unescapeName(textOf(piece)))
}

/** What to hand to a system call, for paths under one folder. */
export function placesUnder(folder: string): (piece: string) => string | Buffer {
  const folderBytes = Buffer.from(`${folder}/`)
  return piece => (isPlain(piece) ? `${folder}/${piece}` : Buffer.concat([folderBytes, bytesOf(piece)]))
}
