import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { blobPath } from '../../blob/blob-path.ts'
import { linkOrRenew } from '../../blob/link/link-or-renew.ts'
import { renewBlob } from '../../blob/link/renew-blob.ts'
import { onMachine } from '../../disk/machine-error.ts'
import { placeIn, placeOfLatin1 } from '../../disk/place-in.ts'
import { faultPoint } from '../../volume/fault-point.ts'
import { environmentTree } from '../../volume/layout.ts'
import type { Volume } from '../../volume/open-volume.ts'
import { type Expected, type ExpectedTree, rawText } from '../check/expected-tree.ts'
import { escapedPath } from '../check/tree-text.ts'
import { locateContents } from '../locate-contents.ts'
import { type Content, contentName } from '../problem.ts'
import { lstatWithin } from './lstat-within.ts'
import { setAside } from './set-aside.ts'

/**
 * Puts what belongs there at these paths (escaped, `.` is the root) of a tree (absolute), each by one rename; what nothing
 * belongs at goes into quarantine. Every file is a link to a blob that `isGood`; what has no good one stays and is
 * returned. Folders are open for writing only meanwhile.
 */
export function restorePaths(
  volume: Volume,
  tree: string,
  expected: ExpectedTree,
  paths: readonly string[],
  options: { readonly staging: string; readonly isGood: (content: Content) => boolean },
): string[] {
  const { staging, isGood } = options
  const top = Buffer.from(tree).toString('latin1')
  const left: string[] = []

  function restore(raw: string): void {
    const place = placeOfLatin1(`${top}/${raw}`)
    const folder = placeOfLatin1(raw.includes('/') ? `${top}/${raw.slice(0, raw.lastIndexOf('/'))}` : top)
    const wanted = expectedAt(expected, raw)
    const there = lstatWithin(tree, place)
    if (there === 'nowhere') return
    if (wanted === undefined) whileOpen(folder, () => setAside(volume, place))
    else if (wanted.kind === 'directory' && there?.isDirectory()) chmodSync(place, wanted.mode)
    else {
      const made = `${staging}/${randomUUID()}`
      if (!make(raw, wanted, made)) {
        left.push(escapedPath(raw))
        return
      }
      whileOpen(folder, () => {
        if (there && there.isDirectory() !== (wanted.kind === 'directory')) setAside(volume, place)
        renameSync(made, place)
        if (wanted.kind === 'directory') chmodSync(place, wanted.mode)
      })
    }
    faultPoint('heal:after-path')
  }

  /** In staging, whole; false where there is no good copy of a file. */
  function make(raw: string, wanted: Expected, to: string | Buffer): boolean {
    if (wanted.kind === 'link') symlinkSync(Buffer.from(wanted.target, 'latin1'), to)
    else if (wanted.kind === 'directory') return makeFolder(raw, to)
    else if (!wanted.shared) return copyOwn(volume, wanted, to, staging)
    else if (!isGood(wanted)) return false
    else linkOrRenew(blobPath(volume, wanted.sha256, wanted.executable), wanted, to, staging)
    return true
  }

  /** Its own mode comes last: a folder that changes its parent must be writable (rename(2)). */
  function makeFolder(raw: string, to: string | Buffer): boolean {
    mkdirSync(to, 0o755)
    return [...(expected.get(raw) ?? [])].every(([name, wanted]) => {
      const place = Buffer.concat([Buffer.from(to), Buffer.from(`/${name}`, 'latin1')])
      const made = make(`${raw}/${name}`, wanted, place)
      if (made && wanted.kind === 'directory') chmodSync(place, wanted.mode)
      return made
    })
  }

  onMachine(tree, () => {
    for (const path of [...paths].sort()) {
      if (path === '.') chmodSync(tree, 0o555)
      else restore(rawText(path))
    }
  })
  return left
}

export function expectedAt(expected: ExpectedTree, raw: string): Expected | undefined {
  const end = raw.lastIndexOf('/')
  return expected.get(end === -1 ? '' : raw.slice(0, end))?.get(raw.slice(end + 1))
}

/** A file of the skeleton is no blob; another environment may have the same. */
function copyOwn(volume: Volume, content: Content, to: string | Buffer, staging: string): boolean {
  const places = locateContents(volume, [content]).get(contentName(content))?.places ?? []
  return places.some(({ key, path }) => {
    try {
      renewBlob(to, content, staging, placeIn(environmentTree(volume, key), path))
      return true
    } catch {
      return false
    }
  })
}

function whileOpen(folder: string | Buffer, work: () => void): void {
  chmodSync(folder, 0o755)
  try {
    work()
  } finally {
    chmodSync(folder, 0o555)
  }
}
