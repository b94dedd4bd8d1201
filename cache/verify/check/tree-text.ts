import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escapeName, isPlain, unescapeName } from '../../../src/tree/escaped-name.ts'
import { hasErrno } from '../../disk/machine-error.ts'
import { type At, treeFile } from '../../volume/layout.ts'
import type { Problem } from '../problem.ts'

/**
 * Inside a thread a path is latin1 text of its bytes, one character each: as cheap as text, and right for every name.
 * A manifest is read the same way, so that its escaped paths are mostly pieces of it.
 */
export function rawPath(escaped: string): string {
  if (isPlain(escaped)) return escaped
  return Buffer.from(unescapeName(Buffer.from(escaped, 'latin1').toString('utf8'))).toString('latin1')
}

export function escapedPath(raw: string): string {
  return isPlain(raw) ? raw : escapeName(Buffer.from(raw, 'latin1'))
}

/** A package's tree for `scanManifest`, as latin1; or what is wrong with it. */
export function readTreeText(at: At, digest: string): { text: string } | Pick<Problem, 'damage' | 'detail'> {
  let bytes: Buffer
  try {
    bytes = readFileSync(treeFile(at, digest))
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return { damage: 'missing', detail: 'a tree that is named is not there' }
    return { damage: 'unreadable', detail: (error as Error).message }
  }
  if (hash('sha256', bytes) !== digest) {
    return { damage: 'changed', detail: 'not the tree that its name says' }
  }
  return { text: bytes.toString('latin1') }
}
