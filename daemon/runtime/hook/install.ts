import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeDurable } from '../../../cache/disk/durable.ts'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { namesIn } from '../../../cache/disk/names-in.ts'
import type { HookInstallation, HookRemoval } from '../../../src/api/hook.ts'
import { EnvdError } from '../../../src/error.ts'
import { notWritable, taskFilesFolder } from '../state-folder.ts'
import { HOOKS_FOLDERS, hookFile, hookFileText, INSTALLED_PROGRAM } from './hook-file.ts'
import { hookProgram } from './hook-program.ts'

/**
 * Makes containers with the annotation `dev.envd.task` go through the hook. The program comes first, and the file is
 * taken back if it isn't read as it was written: a bad one would stop every container of the host. Errors:
 * HOST_NOT_WRITABLE, IO, DISK_FULL.
 */
export function installHook(folder: string = HOOKS_FOLDERS[0]): HookInstallation {
  requireRoot(folder)
  const file = hookFile(folder)
  writeDurable(INSTALLED_PROGRAM, hookProgram(), { mode: 0o555 })
  const text = hookFileText()
  writeDurable(file, text, { mode: 0o644 })
  if (readFileSync(file, 'utf8') !== text) {
    rmSync(file)
    throw new EnvdError('IO', `${file} was not read as it was written; it is gone again`, {
      details: { path: file },
    })
  }
  return { file, program: INSTALLED_PROGRAM }
}

/** Takes back what `installHook` wrote, the file that names the program first, and what tasks left for it. */
export function uninstallHook(folder?: string): HookRemoval {
  const folders = folder === undefined ? HOOKS_FOLDERS : [folder]
  requireRoot(folders[0]!)
  const tasks = namesIn(taskFilesFolder).map(name => `${taskFilesFolder}/${name}`)
  const removed = [...folders.map(hookFile), INSTALLED_PROGRAM, ...tasks].filter(path => {
    if (!existsSync(path)) return false
    onMachine(path, () => rmSync(path))
    return true
  })
  return { removed }
}

function requireRoot(folder: string): void {
  if (process.geteuid!() !== 0) throw notWritable(folder, 'it is root that the engines run the hook as')
}
