import { waitForLock } from '../../cache/lock/ofd-lock.ts'
import { imageLockFile } from '../../cache/volume/layout.ts'
import { requireOwner } from '../../cache/volume/require-owner.ts'
import type { ImageWork } from './image-work.ts'

/** One process at a time pulls or builds an image of a name; the others wait. Errors: VOLUME_NOT_OWNER. */
export async function withImageLock<T>(
  { volume, signal, report }: ImageWork,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  requireOwner(volume)
  const lock = await waitForLock(imageLockFile(volume, name), {
    signal,
    onWait: () => report({ phase: 'wait', message: 'waiting for another process that brings this image' }),
  })
  try {
    return await work()
  } finally {
    lock.release()
  }
}
