/**
 * What of a standard library isn't taken in: its own tests, which are half of it; what draws windows; `nis`, which
 * nobody uses and which brings Kerberos along; what links programs statically; packages that were installed beside it,
 * `sitecustomize` among them, since they belong to its host; and bytecode, which is compiled anew.
 */
const anywhere: ReadonlySet<string> = new Set(['__pycache__', 'test', 'tests'])
const atTop = /^(?:idlelib|turtledemo|site-packages|dist-packages|config-.*|(?:site|user)customize\.py)$/
const missed = /^(?:_tkinter|nis)$/
const ofTests = /^(?:_test.*|_xxtestfuzz|_ctypes_test|xxlimited(?:_35)?|xxsubtype)$/
const extensionFolder = 'lib-dynload'

/** `path` is relative to the standard library, `lib/python3.12`. */
export function isLeftOut(path: string): boolean {
  const parts = path.split('/')
  const name = parts.at(-1)!
  if (anywhere.has(name) || /\.(?:pyc|pyo|a)$/.test(name)) return true
  if (parts.length === 1) return atTop.test(name)
  const module = moduleOf(name)
  return parts.length === 2 && parts[0] === extensionFolder && (missed.test(module) || ofTests.test(module))
}

/** Name of the module that a path left out would be, where users may miss it: `_tkinter`, `idlelib`; else null. */
export function missedModule(path: string): string | null {
  const [name = '', file] = path.split('/')
  if (file === undefined) return /^(?:idlelib|turtledemo|test)$/.test(name) ? name : null
  return name === extensionFolder && missed.test(moduleOf(file)) ? moduleOf(file) : null
}

/** `_ssl` of `_ssl.cpython-312-x86_64-linux-gnu.so`. */
function moduleOf(file: string): string {
  return file.split('.')[0]!
}
