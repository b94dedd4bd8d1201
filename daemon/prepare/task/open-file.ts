import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/** Opens a regular file for reading; null for a folder, a FIFO (which would wait for a writer) or a device. */
export function openFile(path: string): number | null {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(descriptor).isFile()) return descriptor
  closeSync(descriptor)
  return null
}
