/** Whether a path is that of a module's bytecode (PEP 3147). */
export function isCompiled(path: string): boolean {
  return path.endsWith('.pyc') && /(?:^|\/)__pycache__\/[^/]+$/.test(path)
}
