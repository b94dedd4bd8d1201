import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './temporary.ts'

/**
 * A folder whose file system takes `Case` and `case` for one name and has hard links: NTFS by way of FUSE, since few
 * kernels are made with `casefold`. Null where this machine can't (it takes ntfs-3g and root).
 */
export function caseFoldingFolder(): string | null {
  const folder = temporaryFolder()
  const [image, mount] = [join(folder, 'image'), join(folder, 'mount')]
  mkdirSync(mount)
  execFileSync('truncate', ['-s', '64M', image])
  try {
    execFileSync('mkfs.ntfs', ['-F', '-Q', '-q', image], { stdio: 'ignore' })
    execFileSync('lowntfs-3g', ['-o', 'ignore_case,permissions', image, mount], { stdio: 'ignore' })
  } catch {
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', mount])
  })
  return mount
}
