import { execa } from 'execa'
import { EnvdError } from '../../../src/error.ts'

/** Below that, what the file system has free is as good as reserved. */
const worthwhile = 8 << 20

/**
 * Sets disk blocks aside for a file of so many bytes (fallocate(1), --keep-size: its length still says how far it is). Where the file system or the machine has no such thing, writing finds out. Errors: DISK_FULL.
 */
export async function reserveSpace(file: string, bytes: number): Promise<void> {
  if (bytes < worthwhile) return
  const args = ['--keep-size', '--length', String(bytes), file]
  const { failed, stderr } = await execa('fallocate', args, {
    reject: false,
    stdin: 'ignore',
    env: { LC_ALL: 'C' },
  })
  if (failed && /No space left|quota/i.test(stderr ?? '')) {
    throw new EnvdError('DISK_FULL', `there is no room for the ${bytes} bytes of ${file}`, {
      details: { path: file, bytes },
    })
  }
}
