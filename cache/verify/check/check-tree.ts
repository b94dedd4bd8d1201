import { lstatSync, readdirSync, readlinkSync, type Stats } from 'node:fs'
import { hasErrno } from '../../disk/machine-error.ts'
import { placeOfLatin1 } from '../../disk/place-in.ts'
import { TREE } from '../../volume/layout.ts'
import { type Content, modeDetail, type Problem, sizeDamage } from '../problem.ts'
import { blobNumber, ownerOfBlob, type Reports, wrongOutside } from './check-blobs.ts'
import type { ThreadData, TreeToCheck } from './check-job.ts'
import { type Expected, expectedTree } from './expected-tree.ts'
import type { NumberTable } from './number-table.ts'
import { escapedPath } from './tree-text.ts'

/**
 * Checks this thread's folders of an environment, or of another tree of the volume: every path that should be there, and that there is no other. A
 * file is known by its inode, the blob's; the contents of any other inode are for hashing. Returns how many paths
 * it looked at. Throws system errors it can't explain.
 */
export function checkTree(
  data: ThreadData,
  checkedTree: TreeToCheck,
  inodes: readonly NumberTable[],
  reports: Reports,
): number {
  const shown = `${checkedTree.folder}/${TREE}`
  const top = Buffer.from(`${data.root}/${shown}`).toString('latin1')
  const expected = expectedTree(
    data,
    checkedTree,
    folder => ownerOfFolder(folder, data.threads) === data.thread,
  )
  const hashing = new Set<string>()
  let checked = 0

  function report(raw: string, problem: Omit<Problem, 'path'>): void {
    reports.problem({ path: pathOf(raw), ...problem })
  }

  function pathOf(raw: string): string {
    return escapedPath(raw === '' ? shown : `${shown}/${raw}`)
  }

  function check(raw: string, wanted: Expected): void {
    checked += 1
    const place = placeOfLatin1(raw === '' ? top : `${top}/${raw}`)
    const stats = lstatSync(place, { throwIfNoEntry: false })
    const content = contentOf(wanted)
    if (stats === undefined) {
      report(raw, { damage: 'missing', content, inode: null, detail: `a ${wanted.kind} belongs there` })
    } else if (!isKind(stats, wanted.kind)) {
      report(raw, { damage: 'changed', content, inode: null, detail: `not a ${wanted.kind}` })
    } else if (wanted.kind === 'directory') {
      const mode = stats.mode & 0o7777
      if (mode === wanted.mode) return
      report(raw, { damage: 'mode', content, inode: null, detail: modeDetail(mode, wanted.mode) })
    } else if (wanted.kind === 'link') {
      const target = readlinkSync(place, 'latin1')
      if (target === wanted.target) return
      const detail = `leads to ${escapedPath(target)} instead of ${escapedPath(wanted.target)}`
      report(raw, { damage: 'changed', content, inode: null, detail })
    } else checkFile(raw, stats, wanted)
  }

  function checkFile(raw: string, stats: Stats, wanted: Extract<Expected, { kind: 'file' }>): void {
    const { sha256, executable, size, shared } = wanted
    const content = { sha256, executable }
    const inode = stats.ino
    if (shared && inodes[ownerOfBlob(sha256, data.threads)]!.get(blobNumber(content)) === inode) return
    if (stats.size !== size) {
      report(raw, { content: contentOf(wanted), inode, ...sizeDamage(stats.size, size) })
      return
    }
    const once = `${inode} ${sha256}`
    if (hashing.has(once)) return
    hashing.add(once)
    const wrong = shared ? wrongOutside(stats, executable) : wrongMode(stats, executable)
    reports.suspect({ path: pathOf(raw), content, shared, size, inode, wrong })
  }

  for (const [folder, entries] of expected) {
    if (folder === '') check('', { kind: 'directory', mode: 0o555 })
    const prefix = folder === '' ? '' : `${folder}/`
    const names = namesIn(placeOfLatin1(folder === '' ? top : `${top}/${folder}`))
    if (names === null) continue
    for (const name of names) {
      if (entries.has(name)) continue
      const detail = 'no package has it'
      report(prefix + name, { damage: 'foreign', content: null, inode: null, detail })
    }
    for (const [name, wanted] of entries) check(prefix + name, wanted)
  }
  return checked
}

/** Null where it is no folder, or not to be read: whoever has the folder above says so. */
function namesIn(place: string | Buffer): string[] | null {
  try {
    return lstatSync(place).isDirectory() ? readdirSync(place, 'latin1') : null
  } catch (error) {
    if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return null
    throw error
  }
}

/** Of the store. */
function contentOf(wanted: Expected): Content | null {
  if (wanted.kind !== 'file' || !wanted.shared) return null
  return { sha256: wanted.sha256, executable: wanted.executable }
}

function isKind(stats: Stats, kind: Expected['kind']): boolean {
  if (kind === 'file') return stats.isFile()
  return kind === 'directory' ? stats.isDirectory() : stats.isSymbolicLink()
}

/** Files of the skeleton keep the time they were made at. */
function wrongMode(stats: Stats, executable: boolean): ReturnType<typeof wrongOutside> {
  const wrong = wrongOutside(stats, executable)
  return wrong?.damage === 'mode' ? wrong : null
}

/** FNV-1a of its path. */
function ownerOfFolder(folder: string, threads: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < folder.length; at++) hash = Math.imul(hash ^ folder.charCodeAt(at), 0x01000193)
  return (hash >>> 8) % threads
}
