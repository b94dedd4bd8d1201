import type { LockedFile, LockedPackage } from '../lock/lock.ts'
import { refuse } from '../lock/locked/refuse.ts'
import { bestWheel } from '../tag/rank-wheel.ts'
import { parseWheelFilename } from '../tag/wheel-filename.ts'
import { whyNot } from '../tag/why-not.ts'
import type { Target } from '../target/target.ts'

/**
 * The file of a package for the target: the wheel that fits best, else the source distribution. Throws
 * NO_FILE_FITS, which tells why each file doesn't fit, and FILE_NOT_ON_INDEX where an index had none.
 * `tags` are those the target supports, best first.
 */
export function chooseFile(locked: LockedPackage, target: Target, tags: readonly string[]): LockedFile {
  const { wheels, sdist, only, place } = locked
  const wheel = only === 'sdist' ? null : bestFitting(wheels, tags)
  if (wheel !== null) return wheel
  if (sdist !== null && only !== 'wheel') return sdist

  const named = `${locked.name} ${locked.version ?? ''}`.trim()
  const files = [
    ...wheels.map(({ filename }) => ({
      filename,
      why: only === 'sdist' ? 'is left out by --no-binary' : whyNot(filename, target),
    })),
    ...(sdist === null ? [] : [{ filename: sdist.filename, why: 'is left out by --only-binary' }]),
  ]
  if (files.length === 0 && locked.digests.length > 0) {
    const digests = locked.digests.length === 1 ? 'the digest' : `one of the ${locked.digests.length} digests`
    return refuse(
      'FILE_NOT_ON_INDEX',
      place,
      `the index has no file of ${named} with ${digests} in the lock`,
      {
        details: { name: locked.name, version: locked.version, digests: locked.digests },
      },
    )
  }
  const reasons = files.map(({ filename, why }) => `\n  ${filename} ${why}`).join('')
  const message = `${named} has no file for this target${files.length === 0 ? ', and no file at all' : `:${reasons}`}`
  return refuse('NO_FILE_FITS', place, message, {
    details: { name: locked.name, version: locked.version, files },
  })
}

/** An error about a file name gets its place, which costs a search and so is looked up only then. */
function bestFitting(wheels: readonly LockedFile[], tags: readonly string[]): LockedFile | null {
  try {
    return bestWheel(wheels, tags)
  } catch (error) {
    for (const wheel of wheels)
      if (!isWheelName(wheel.filename)) parseWheelFilename(wheel.filename, wheel.place)
    throw error
  }
}

function isWheelName(filename: string): boolean {
  try {
    parseWheelFilename(filename)
    return true
  } catch {
    return false
  }
}
