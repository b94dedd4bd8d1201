import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'

/**
 * The fewest paths in a tree that stand for all the files in `owned`: a folder that holds nothing else stands for what is
 * in it, bytecode aside. Never a folder at the top of the tree, or one of those on the way to site-packages.
 */
export function wholePaths(tree: string, owned: readonly string[]): string[] {
  const files = new Set(owned)
  const parents = new Set(owned.flatMap(foldersTo))
  const visit = (folder: string): { readonly whole: boolean; readonly paths: string[] } => {
    let whole = !shared.test(folder)
    const paths: string[] = []
    for (const name of namesIn(join(tree, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      if (files.has(path)) paths.push(path)
      else if (parents.has(path) && name !== '__pycache__') {
        const inner = visit(path)
        whole &&= inner.whole
        paths.push(...(inner.whole ? [path] : inner.paths))
      } else whole &&= name === '__pycache__'
    }
    return { whole, paths }
  }
  return visit('').paths.filter(path => existsSync(join(tree, path)))
}

const shared = /^([^/]*|lib\/[^/]+|lib\/[^/]+\/site-packages)$/

function foldersTo(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

function namesIn(folder: string): string[] {
  return onMachine(folder, () => readdirSync(folder))
}
