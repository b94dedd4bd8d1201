import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Written by envd from the target, or uv's own lock. */
const notTaken = /^(?:pyvenv\.cfg|\.lock|bin\/python[0-9.]*t?)$/

/** Paths of what `uv venv` makes the same for every virtualenv of an interpreter: `activate` and such, folders too. */
export function listVirtualenv(root: string, within = ''): string[] {
  return readdirSync(join(root, within), { withFileTypes: true }).flatMap(entry => {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    if (notTaken.test(path)) return []
    return entry.isDirectory() ? [path, ...listVirtualenv(root, path)] : [path]
  })
}
