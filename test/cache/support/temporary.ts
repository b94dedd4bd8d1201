import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../../../cache/disk/remove-folder.ts'
import { openVolume, type Volume } from '../../../cache/volume/open-volume.ts'
import { requireRoot } from './child.ts'

/** `onTestFinished`, or `afterAll` for what a whole file of tests uses. */
export type WhenDone = (action: () => Promise<void>) => void

/** A folder any user can enter, gone when the test is. */
export function temporaryFolder(whenDone: WhenDone = onTestFinished): string {
  const path = mkdtempSync(join(tmpdir(), 'envd-test-'))
  chmodSync(path, 0o755)
  whenDone(async () => {
    await removeFolder(path)
  })
  return path
}

export function newVolume(): Volume {
  return openVolume(join(temporaryFolder(), 'volume'), { create: true })
}

/** Mounts a tmpfs of that many KiB, unmounted when the test is finished. */
export function smallFileSystem(kibibytes: number): string {
  requireRoot()
  const path = temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kibibytes}k,mode=0755`, 'tmpfs', path])
  onTestFinished(() => {
    execFileSync('umount', ['-l', path])
  })
  return path
}

/** The error's code, for expectations; fails where nothing is thrown. */
export function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    return (error as { code: string }).code
  }
  throw new Error('nothing was thrown')
}
