/** What envd writes itself, from the target, and uv's own lock. */
const written = /^(?:pyvenv\.cfg|\.lock|bin\/python[0-9.]*t?)$/

const alike = new Set([
  ...['.gitignore', 'CACHEDIR.TAG', 'lib64'],
  ...['', '.bat', '.csh', '.fish', '.nu', '.ps1', '.xsh', '_this.py'].map(end => `bin/activate${end}`),
  ...['bin/deactivate.bat', 'bin/pydoc.bat'],
])

/** Files and links of a virtualenv that the pinned `uv venv` makes, before anything is installed. */
export function isSkeleton(path: string): boolean {
  return alike.has(path) || isOwnOfTarget(path)
}

/** Of these, what is not the same in every virtualenv of an interpreter. */
export function isOwnOfTarget(path: string): boolean {
  return written.test(path)
}
