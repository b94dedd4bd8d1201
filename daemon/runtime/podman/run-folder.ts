import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasErrno } from '../../../cache/disk/machine-error.ts'

/** What one `podman run` says of its container, in files of its own. */
export interface RunFolder {
  readonly folder: string
  readonly files: { readonly container: string; readonly process: string }
  /** The container's id; null: there is none yet. */
  container(): string | null
  /** Whether its process came to be: all hooks passed, and its command was found. */
  started(): boolean
  remove(): void
}

export function openRunFolder(): RunFolder {
  const folder = mkdtempSync(join(tmpdir(), 'envd-run-'))
  chmodSync(folder, 0o755) // an engine without root reads hooks from it in a user namespace
  const files = { container: join(folder, 'container'), process: join(folder, 'process') }
  return {
    folder,
    files,
    container: () => textOf(files.container),
    started: () => textOf(files.process) !== null,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw error
  }
}
