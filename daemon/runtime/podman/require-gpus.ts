import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../../cache/disk/names-in.ts'
import { EnvdError } from '../../../src/error.ts'
import { GPU_KIND } from '../../../src/podman/gpu-devices.ts'
import { CDI_FOLDERS as folders } from '../cdi/spec-files.ts'

/** Errors: GPUS_UNKNOWN where no CDI file of this host speaks of NVIDIA's GPUs. Which of them there are, podman says. */
export function requireGpus(): void {
  const files = folders.flatMap(folder => namesIn(folder).map(name => join(folder, name)))
  if (files.some(file => /\.(json|ya?ml)$/.test(file) && isOfGpus(file))) return
  throw new EnvdError(
    'GPUS_UNKNOWN',
    `no file in ${folders.join(' or ')} makes devices of ${GPU_KIND} known`,
    {
      details: { folders },
    },
  )
}

/** JSON or YAML. */
function isOfGpus(file: string): boolean {
  try {
    return /\bkind["']?\s*:\s*["']?nvidia\.com\/gpu["']?\s*(,|$)/m.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}
