import { randomUUID } from 'node:crypto'
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { EnvdError } from '../../src/error.ts'
import { writeDurable } from '../disk/durable.ts'
import { onMachine } from '../disk/machine-error.ts'
import { makeFolders } from '../disk/make-folder.ts'
import type { Volume } from './open-volume.ts'

const passed: readonly string[] = ['VOLUME_READ_ONLY', 'DISK_FULL']

/**
 * Keeps a fact that can be made again, or a task's last key. Only for the volume's owner, and not on a
 * volume that is mounted read-only or full: everything works without.
 */
export function remember(volume: Volume, path: string, text: string): void {
  unlessPassed(volume, () => writeDurable(path, text, { mode: 0o644 }))
}

/**
 * As `remember`, for facts by the hundred: whole for who reads while it is written, but perhaps cut short by a loss of
 * power.
 */
export function rememberLightly(volume: Volume, path: string, text: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}`)
  const write = () => {
    makeFolders(dirname(path))
    writeFileSync(temporary, text, { flag: 'wx' })
    chmodSync(temporary, 0o644)
    renameSync(temporary, path)
  }
  unlessPassed(volume, () => onMachine(path, write))
}

/** Takes it away again, under the same terms. */
export function forget(volume: Volume, path: string): void {
  unlessPassed(volume, () => onMachine(path, () => rmSync(path, { force: true })))
}

function unlessPassed(volume: Volume, action: () => void): void {
  if (!volume.owned) return
  try {
    action()
  } catch (error) {
    if (!(error instanceof EnvdError) || !passed.includes(error.code)) throw error
  }
}
