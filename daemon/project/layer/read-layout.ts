import { createHash } from 'node:crypto'
import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'

/** How deep packages are told apart: what lies deeper is found by their own import. */
const deepest = 4

/** Files that build backends read a version from. */
const versions = /^(__init__|__about__|__version__|_version|version|about)\.py$/

/**
 * What of a checkout an editable layer may depend on, sorted: the contents of the files at its top (pyproject.toml, setup.py,
 * readme, licences); its folders, which say where packages are; modules that tell a version; what git has checked out,
 * where a version comes from there. Not the sources: they are read where they lie.
 */
export function readLayout(checkout: string): [path: string, sha256: string | null][] {
  const found: [string, string | null][] = []
  const visit = (folder: string, depth: number) => {
    for (const entry of entriesOf(join(checkout, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) {
        if (entry.name.startsWith('.') || entry.name === '__pycache__') continue
        found.push([path, null])
        if (depth < deepest) visit(path, depth + 1)
      } else if (entry.isFile() && (depth === 1 || versions.test(entry.name))) {
        found.push([path, sha256Of(join(checkout, path))])
      }
    }
  }
  visit('', 1)
  return [...found, ...gitState(checkout)].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** gitrepository-layout(5): HEAD names a branch, whose commit is in a file of its own or in packed-refs. */
function gitState(checkout: string): [string, string | null][] {
  const git = join(checkout, '.git')
  const head = join(git, 'HEAD')
  if (!existsSync(head)) return []
  const branch = /^ref: (refs\/\S+)$/m.exec(readFileSync(head, 'utf8'))?.[1]
  return ['HEAD', 'packed-refs', ...(branch === undefined ? [] : [branch])]
    .filter(name => existsSync(join(git, name)))
    .map(name => [`.git/${name}`, sha256Of(join(git, name))])
}

function entriesOf(folder: string): Dirent[] {
  return onMachine(folder, () => readdirSync(folder, { withFileTypes: true }))
}

function sha256Of(path: string): string {
  return onMachine(path, () => createHash('sha256').update(readFileSync(path)).digest('hex'))
}
