import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isOwnOfTarget } from '../../../uv/record/skeleton.ts'

/** Paths of what `uv venv` makes the same for every virtualenv of an interpreter: `activate` and such, folders too. */
export function listVirtualenv(root: string, within = ''): string[] {
  return readdirSync(join(root, within), { withFileTypes: true }).flatMap(entry => {
    const path = within === '' ? entry.name : `${within}/${entry.name}`
    if (isOwnOfTarget(path)) return []
    return entry.isDirectory() ? [path, ...listVirtualenv(root, path)] : [path]
  })
}
