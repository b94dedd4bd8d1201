import type { BaseImage } from '../image/image.ts'
import { compareDotted } from '../version/compare-dotted.ts'
import type { CudaLevel } from './cuda-level.ts'

/** The lowest NVIDIA driver that a task's containers work with, and why. */
export interface DriverNeed {
  /** `525.60.13`. */
  readonly minimum: string
  /** `CUDA 12.8 (torch 2.7.0+cu128)`. */
  readonly because: string
}

/**
 * Lowest driver for a CUDA level, on Linux for x86_64 and aarch64: from CUDA 11 on one for all minor versions (NVIDIA,
 * CUDA Compatibility, "Minor Version Compatibility", tables 1 and 2; CUDA Toolkit Release Notes, "CUDA Toolkit and
 * Minimum Required Driver Version for CUDA Minor Version Compatibility"). Highest level first. A later major version
 * needs at least what the last one here does.
 */
const minimumDrivers: readonly (readonly [level: string, driver: string])[] = [
  ['13.0', '580'],
  ['12.0', '525.60.13'],
  ['11.0', '450.80.02'],
  ['10.2', '440.33'],
  ['10.1', '418.39'],
  ['10.0', '410.48'],
]

/** Of all that is installed, and of what the image says of itself, the strictest; null: any driver, or none. */
export function driverNeed(
  ofPackages: readonly CudaLevel[],
  { name, cuda, minimumDriver }: Pick<BaseImage, 'name' | 'cuda' | 'minimumDriver'>,
): DriverNeed | null {
  const image = `base image ${name}`
  const levels = [...ofPackages, ...(cuda === null ? [] : [{ level: cuda, of: image }])]
  const needs = [
    ...levels.flatMap(needOf),
    ...(minimumDriver === null ? [] : [{ minimum: minimumDriver, because: image }]),
  ]
  return needs.reduce<DriverNeed | null>(
    (most, need) => (most === null || compareDotted(need.minimum, most.minimum) > 0 ? need : most),
    null,
  )
}

function needOf({ level, of }: CudaLevel): DriverNeed[] {
  const minimum = minimumDrivers.find(([from]) => compareDotted(level, from) >= 0)?.[1]
  return minimum === undefined ? [] : [{ minimum, because: `CUDA ${level} (${of})` }]
}
