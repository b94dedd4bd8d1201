import { constants, copyFileSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasErrno, machineError } from '../disk/machine-error.ts'

/** Whether a copy may share its blocks with the original (ioctl_ficlonerange(2)). */
export function probeReflink(folder: string): boolean {
  const file = join(folder, 'original')
  writeFileSync(file, 'x'.repeat(1 << 16))
  try {
    copyFileSync(file, join(folder, 'clone'), constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
    return true
  } catch (error) {
    if (hasErrno(error, 'ENOTSUP', 'EOPNOTSUPP', 'ENOTTY', 'EINVAL', 'EXDEV', 'ENOSYS')) return false
    throw machineError(error, file)
  }
}

/** Moves a folder with a file in it into another folder, as publication does. Errors: as machineError. */
export function probeRename(folder: string): void {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  try {
    mkdirSync(join(from, 'moved'), { recursive: true })
    mkdirSync(to)
    writeFileSync(join(from, 'moved', 'file'), '')
    renameSync(join(from, 'moved'), join(to, 'moved'))
    statSync(join(to, 'moved', 'file'))
  } catch (error) {
    throw machineError(error, folder)
  }
}

/** Milliseconds by which the file system's clock is ahead of this process's, about. */
export function probeClock(folder: string): number {
  const file = join(folder, 'clock')
  const before = Date.now()
  writeFileSync(file, '')
  const written = statSync(file).mtimeMs
  const after = Date.now()
  if (written < before) return written - before
  return Math.max(0, written - after)
}
