/** A file of a revision, as the hub lists it. */
export interface HubFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Name of its contents in the client's cache: sha256 of what LFS keeps, git's blob id of the rest. */
  readonly etag: string
}

/** What a list of files may hold that is none. */
export class StrangeEntry extends Error {}

/** One entry of a tree (the hub's API, `tree`); null for a folder. Throws StrangeEntry. */
export function parseEntry(entry: unknown): HubFile | null {
  if (!isTable(entry)) throw new StrangeEntry('an entry that is none')
  const { type, path, size, oid, lfs } = entry
  if (type === 'directory') return null
  const large = isTable(lfs) ? lfs : null
  const etag = large === null ? oid : large.oid
  const length = large === null ? size : large.size
  if (
    type === 'file' &&
    typeof path === 'string' &&
    isSafe(path) &&
    typeof etag === 'string' &&
    (large === null ? /^[0-9a-f]{40}$/ : /^[0-9a-f]{64}$/).test(etag) &&
    Number.isSafeInteger(length) &&
    (length as number) >= 0
  ) {
    return { path, size: length as number, etag }
  }
  throw new StrangeEntry(`an entry that is no file: ${shortened(path)}`)
}

/** Throws StrangeEntry where two of them can't lie side by side. */
export function requireTree(files: readonly HubFile[]): void {
  const paths = new Set<string>()
  for (const { path } of files) {
    if (paths.has(path)) throw new StrangeEntry(`a file twice: ${shortened(path)}`)
    paths.add(path)
  }
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end)
      if (paths.has(folder)) throw new StrangeEntry(`a file that is a folder, too: ${shortened(folder)}`)
    }
  }
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In bytes, of Linux (limits.h); of a path, with room for the place of the volume. */
const longestName = 255
const longestPath = 3500

/** Relative, without empty, `.` or `..` parts, so that it stays below the snapshot; and a file system can have it. */
function isSafe(path: string): boolean {
  if (path.includes('\0') || !path.isWellFormed() || Buffer.byteLength(path) > longestPath) return false
  return path.split('/').every(part => !/^\.{0,2}$/.test(part) && Buffer.byteLength(part) <= longestName)
}

function shortened(path: unknown): string {
  const text = JSON.stringify(path) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
