import { EnvdError, formatPlace, type Place } from '../error.ts'
import { isName, normalizeName } from '../version/name.ts'
import { normalizeVersion } from '../version/version.ts'

export interface WheelFilename {
  /** Normalized by PEP 503. */
  readonly name: string
  /** Normalized by PEP 440. */
  readonly version: string
  readonly build: BuildTag | null
  /** `python-abi-platform`, lowercase, compressed sets spelled out (PEP 425). */
  readonly tags: readonly string[]
}

/** `1abc` is number 1 and suffix `abc`; sorted by number, then suffix. */
export interface BuildTag {
  readonly number: bigint
  readonly suffix: string
}

/**
 * The parts of a wheel's file name (PEP 427, "File name convention"; escaped as PEP 503 and PEP 440
 * normalize). Throws LOCK_SYNTAX, with the place in the lock where one is given.
 */
export function parseWheelFilename(filename: string, place?: Place): WheelFilename {
  const parts = filename.endsWith('.whl') ? filename.slice(0, -'.whl'.length).split('-') : []
  if (parts.length !== 5 && parts.length !== 6) {
    throw wrong(filename, place, 'it is not name-version[-build]-python-abi-platform.whl')
  }
  const [name = '', written = ''] = parts
  if (!isName(name)) throw wrong(filename, place, `"${name}" is not a project name`)
  const version = normalizeVersion(written)
  if (version === null) throw wrong(filename, place, `"${written}" is not a version`)
  const build = parts.length === 6 ? /^([0-9]+)(.*)$/.exec(parts[2]!) : null
  if (parts.length === 6 && build === null) {
    throw wrong(filename, place, `the build tag "${parts[2]}" does not begin with a digit`)
  }
  const sets = parts.slice(-3).map(part => part.toLowerCase().split('.'))
  if (sets.flat().includes('')) throw wrong(filename, place, 'one of its tags is empty')
  return {
    name: normalizeName(name),
    version,
    build: build === null ? null : { number: BigInt(build[1]!), suffix: build[2]! },
    tags: spellOut(sets),
  }
}

function spellOut([pythons = [], abis = [], platforms = []]: string[][]): string[] {
  return pythons.flatMap(python =>
    abis.flatMap(abi => platforms.map(platform => `${python}-${abi}-${platform}`)),
  )
}

function wrong(filename: string, place: Place | undefined, why: string): EnvdError {
  const where = place === undefined ? '' : `${formatPlace(place)}: `
  return new EnvdError('LOCK_SYNTAX', `${where}not a wheel's file name: ${filename}: ${why}`, {
    details: { filename, ...(place === undefined ? {} : { place }) },
  })
}
