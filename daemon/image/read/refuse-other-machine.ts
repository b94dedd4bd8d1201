import { machine } from 'node:os'
import { EnvdError } from '../../../src/error.ts'
import type { BaseImage } from '../../../src/image/image.ts'

/** IMAGE_OTHER_MACHINE for an image of another machine than this host: nothing of it runs here. */
export function refuseOtherMachine(image: BaseImage): void {
  const host = machine()
  if (image.machine === host) return
  const message = `the base image ${image.name} is for ${image.machine}, and this host is ${host}`
  throw new EnvdError('IMAGE_OTHER_MACHINE', message, {
    details: { image: image.name, machine: image.machine, host },
  })
}
