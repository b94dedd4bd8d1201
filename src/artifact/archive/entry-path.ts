/** Why a name in an archive is not taken, or the path it stands for: relative, without `.` parts. */
export type EntryPath = { readonly path: string } | { readonly problem: string }

const longestPart = 255
const longestPath = 4000

/** `''` is the root itself. */
export function entryPath(name: string): EntryPath {
  if (name.includes('\0')) return { problem: 'its name holds a NUL character' }
  if (name.includes('\uFFFD')) return { problem: 'its name is not UTF-8' }
  if (name.startsWith('/')) return { problem: 'its path is absolute' }
  const parts = name.split('/').filter(part => part !== '' && part !== '.')
  if (parts.includes('..')) return { problem: 'its path leads upwards' }
  const path = parts.join('/')
  if (parts.some(part => Buffer.byteLength(part) > longestPart) || Buffer.byteLength(path) > longestPath) {
    return { problem: 'its path is too long' }
  }
  return { path }
}

/**
 * What a path is to a file system that ignores case, or brings Unicode to one form: where two paths are one there, one
 * of them would silently vanish.
 */
export function foldedPath(path: string): string {
  return path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
}
