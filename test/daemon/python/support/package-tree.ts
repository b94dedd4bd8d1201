import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { escapeName } from '../../../../src/tree/escaped-name.ts'
import { STORE_MTIME } from '../../../../src/tree/store-mtime.ts'
import { temporaryFolder } from '../../../cache/support/temporary.ts'
import type { Interpreter } from '../../../fixture/interpreter.ts'

export type Contents = Readonly<Record<string, string | Uint8Array>>

export function siteOf({ version }: Interpreter): string {
  return `lib/python${version.split('.').slice(0, 2).join('.')}/site-packages`
}

/** Writes files with the store's mtime; paths are those of the file system. Returns the paths. */
export function writeTree(root: string, contents: Contents): string[] {
  for (const [path, content] of Object.entries(contents)) {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    utimesSync(file, STORE_MTIME, STORE_MTIME)
  }
  return Object.keys(contents)
}

export function treeOf(contents: Contents): { root: string; paths: string[] } {
  const root = temporaryFolder()
  return { root, paths: writeTree(root, contents).map(path => escapeName(Buffer.from(path))) }
}

/** Modules of the interpreter's own library, as a package of that name: real code, and enough of it. */
export function libraryModules(interpreter: Interpreter, folders: readonly string[]): Contents {
  const minor = interpreter.version.split('.').slice(0, 2).join('.')
  const library = join(dirname(dirname(interpreter.path)), 'lib', `python${minor}`)
  const found: Record<string, Uint8Array> = {}
  for (const folder of folders) {
    for (const name of readdirSync(join(library, folder))) {
      const file = join(library, folder, name)
      if (name.endsWith('.py') && statSync(file).isFile()) {
        found[`${siteOf(interpreter)}/own_${folder}/${name}`] = readFileSync(file)
      }
    }
  }
  return found
}

/** Every .pyc below, by path. */
export function bytecodeIn(root: string): Map<string, string> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.pyc'))
  return new Map(files.sort().map(path => [path, readFileSync(join(root, path)).toString('hex')]))
}
