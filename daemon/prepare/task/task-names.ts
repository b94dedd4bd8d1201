import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Folders of `lockfiles` that hold a task.toml, sorted; none where there is no such folder. */
export function taskNames(lockfiles: string): string[] {
  if (!existsSync(lockfiles)) return []
  return readdirSync(lockfiles)
    .filter(name => !name.startsWith('.') && existsSync(join(lockfiles, name, 'task.toml')))
    .sort()
}
