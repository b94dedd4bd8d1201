import type { Target } from '../target/target.ts'
import { glibcMinor, isFreeThreaded, legacyManylinux, platformTags, pythonMinor } from './supported-tags.ts'
import { parseWheelFilename } from './wheel-filename.ts'

/**
 * Which parts of a wheel's tags exclude the target, in words that follow the file's name: `needs CPython
 * 3.11`, `needs glibc ≥ 2.39, target has 2.36`, `is for aarch64`. Meant for a wheel that doesn't fit.
 * Throws LOCK_SYNTAX on a wrong file name.
 */
export function whyNot(filename: string, target: Target): string {
  const tags = parseWheelFilename(filename).tags.map(tag => tag.split('-') as [string, string, string])
  const reasons = [
    closest(tags.map(([python, abi]) => whyNotPython(python, abi, target))),
    closest(tags.map(([, , platform]) => whyNotPlatform(platform, target))),
  ].filter(reason => reason !== null)
  if (reasons.length > 0) return reasons.map(reason => reason.words).join(', and ')
  return `has no tag that fits: ${tags.map(tag => tag.join('-')).join(', ')}`
}

/** `distance` tells which of several reasons comes nearest to a fit. */
interface Reason {
  readonly words: string
  readonly distance: number
}

/** Null when one of the tags has no reason against it. */
function closest(reasons: readonly (Reason | null)[]): Reason | null {
  return reasons.reduce((best, reason) =>
    best === null || reason === null ? null : reason.distance < best.distance ? reason : best,
  )!
}

function whyNotPython(python: string, abi: string, target: Target): Reason | null {
  const [, kind = '', major = '', digits = ''] = /^([a-z]+)([0-9])([0-9]*)/.exec(python) ?? []
  const minor = Number(digits)
  const ours = pythonMinor(target)
  const version = digits === '' ? major : `${major}.${minor}`
  if (kind === 'pp') return { words: `needs PyPy ${version}`, distance: 400 }
  if (kind !== 'cp' && kind !== 'py') return { words: `needs the interpreter ${python}`, distance: 500 }
  if (major !== '3') return { words: `needs Python ${version}`, distance: 300 }

  const distance = Math.abs(minor - ours)
  if (kind === 'py') {
    return minor > ours ? { words: `needs Python ≥ ${version}`, distance } : null
  }
  if (abi === 'abi3' || abi === 'abi3t') {
    if ((abi === 'abi3t') !== isFreeThreaded(target)) {
      return {
        words: abi === 'abi3' ? 'needs a CPython with GIL' : 'needs a free-threaded CPython',
        distance,
      }
    }
    return minor > ours ? { words: `needs CPython ≥ ${version}`, distance } : null
  }
  if (minor === ours && (abi === 'none' || abi === target.abi)) return null
  const flags = /^cp[0-9]+([a-z]*)$/.exec(abi)?.[1] ?? ''
  const build =
    flags === 't' ? 'free-threaded CPython' : isFreeThreaded(target) ? 'CPython with GIL' : 'CPython'
  const other = flags === '' || flags === 't' || minor !== ours ? '' : ` with ABI ${abi}`
  return { words: `needs ${build} ${version}${other}`, distance: distance + (flags === '' ? 0 : 0.5) }
}

function whyNotPlatform(platform: string, target: Target): Reason | null {
  if (platform === 'any' || platformTags(target).includes(platform)) return null
  const linux = /^(manylinux(?:_[0-9]+_[0-9]+|[0-9]+)|musllinux_[0-9]+_[0-9]+|linux)_(.+)$/.exec(platform)
  if (linux === null) return { words: `is for ${systemOf(platform)}`, distance: 300 }
  const [, family = '', machine = ''] = linux
  if (machine !== target.machine) return { words: `is for ${machine}`, distance: 200 }
  if (family.startsWith('musllinux')) return { words: 'needs musl, target has glibc', distance: 100 }
  const needed = neededGlibcMinor(family)
  // An alias older than the machine, such as manylinux1_aarch64, and a bare linux_ tag of a variant.
  if (!(needed > glibcMinor(target.libc.version))) return { words: `is for ${platform}`, distance: 200 }
  const words = `needs glibc ≥ 2.${needed}, target has ${target.libc.version}`
  return { words, distance: needed - glibcMinor(target.libc.version) }
}

function neededGlibcMinor(family: string): number {
  const alias = Object.entries(legacyManylinux).find(([, name]) => name === family)
  return Number(alias?.[0] ?? family.split('_')[2])
}

function systemOf(platform: string): string {
  if (platform.startsWith('win')) return 'Windows'
  if (platform.startsWith('macosx')) return 'macOS'
  return platform
}
