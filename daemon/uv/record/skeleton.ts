const files = new Set([
  ...['.gitignore', '.lock', 'CACHEDIR.TAG', 'lib64', 'pyvenv.cfg'],
  ...['activate', 'activate.bat', 'activate.csh', 'activate.fish', 'activate.nu', 'activate.ps1'].map(inBin),
  ...['activate.xsh', 'activate_this.py', 'deactivate.bat', 'pydoc.bat'].map(inBin),
])

/** Paths of a virtualenv that the pinned `uv venv` makes, before anything is installed. */
export function isSkeleton(path: string): boolean {
  return files.has(path) || /^bin\/python[0-9.]*t?$/.test(path)
}

function inBin(name: string): string {
  return `bin/${name}`
}
