import { findEnvironment } from '../../cache/environment/find-environment.ts'
import { readReceipt } from '../../cache/environment/receipt.ts'
import type { Volume } from '../../cache/volume/open-volume.ts'
import type { Key } from '../../src/digest.ts'
import { type CudaLevel, cudaLevels } from '../../src/gpu/cuda-level.ts'

/**
 * CUDA levels that an environment brings, from its summary: the receipt of a large one takes as long to read as all the
 * rest of a mount. Empty where it is not there.
 */
export function cudaOfEnvironment(volume: Volume, key: Key): readonly CudaLevel[] {
  const ready = findEnvironment(volume, key)
  return ready?.summary.cuda ?? cudaLevels(readReceipt(volume, key)?.packages ?? [])
}
