import { readFileSync } from 'node:fs'
import { EnvdError } from '../../src/error.ts'
import type { DriverNeed } from '../../src/gpu/driver-need.ts'
import { parseDriverVersion } from '../../src/gpu/driver-version.ts'
import { compareDotted } from '../../src/version/compare-dotted.ts'

/** Where the kernel's driver says its version; absent where there is none. */
const DRIVER_FILE = '/proc/driver/nvidia/version'

/**
 * Refuses what this host's NVIDIA driver is too old for. A host without one has nothing to compare: it plans for others,
 * or runs without GPUs. The hook looks again at each start. Errors: DRIVER_TOO_OLD.
 */
export function requireDriver(need: DriverNeed | null, file: string = DRIVER_FILE): void {
  const driver = need === null ? null : hostDriver(file)
  if (need === null || driver === null || compareDotted(driver, need.minimum) >= 0) return
  const { minimum, because } = need
  throw new EnvdError(
    'DRIVER_TOO_OLD',
    `this host has NVIDIA driver ${driver}; ${because} needs ${minimum} or newer`,
    { details: { driver, minimum, because } },
  )
}

/** Version of this host's NVIDIA driver; null: it has none. */
export function hostDriver(file: string = DRIVER_FILE): string | null {
  try {
    return parseDriverVersion(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
