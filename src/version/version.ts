/**
 * Versions by PEP 440 ("Version scheme", "Normalization", "Summary of permitted suffixes and relative
 * ordering").
 */
import { memoize } from '../memoize.ts'

/** Exact at any size: a date with a time as one number (`20240102030405678`) is past what a double holds. */
type Int = number | bigint

export interface Version {
  readonly epoch: Int
  readonly release: readonly Int[]
  readonly pre: readonly ['a' | 'b' | 'rc', Int] | null
  readonly post: Int | null
  readonly dev: Int | null
  readonly local: readonly (Int | string)[] | null
}

const pattern = new RegExp(
  [
    '^\\s*v?(?:(?<epoch>[0-9]+)!)?(?<release>[0-9]+(?:\\.[0-9]+)*)',
    '(?:[._-]?(?<preLetter>alpha|a|beta|b|preview|pre|c|rc)[._-]?(?<pre>[0-9]+)?)?',
    '(?:-(?<dashPost>[0-9]+)|[._-]?(?<postLetter>post|rev|r)[._-]?(?<post>[0-9]+)?)?',
    '(?:[._-]?(?<devLetter>dev)[._-]?(?<dev>[0-9]+)?)?',
    '(?:\\+(?<local>[a-z0-9]+(?:[._-][a-z0-9]+)*))?\\s*$',
  ].join(''),
  'i',
)

const preLetters: Readonly<Record<string, 'a' | 'b' | 'rc'>> = {
  alpha: 'a',
  a: 'a',
  beta: 'b',
  b: 'b',
  preview: 'rc',
  pre: 'rc',
  c: 'rc',
  rc: 'rc',
}

/** Null when the text isn't a version. */
export const parseVersion: (text: string) => Version | null = memoize(text => {
  const groups = pattern.exec(text)?.groups
  if (groups === undefined) return null
  const { preLetter, pre, dashPost, postLetter, post, devLetter, dev, local } = groups
  return {
    epoch: int(groups.epoch),
    release: groups.release!.split('.').map(int),
    pre: preLetter === undefined ? null : [preLetters[preLetter.toLowerCase()]!, int(pre)],
    post: dashPost !== undefined ? int(dashPost) : postLetter === undefined ? null : int(post),
    dev: devLetter === undefined ? null : int(dev),
    local: local === undefined ? null : local.toLowerCase().split(/[._-]/).map(localPart),
  }
})

/** The normalized spelling (`1.0-RC1` → `1.0rc1`); null when the text isn't a version. */
export function normalizeVersion(text: string): string | null {
  const version = parseVersion(text)
  return version === null ? null : formatVersion(version)
}

/** Negative, zero or positive, for sorting oldest first. Both texts must be versions. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)]
  if (left === null || right === null) throw new TypeError(`not a version: ${left === null ? a : b}`)
  return compareParsed(left, right)
}

export function compareParsed(a: Version, b: Version): number {
  return (
    order(a.epoch, b.epoch) ||
    orderAll(a.release, b.release, 0) ||
    orderAll(suffix(a), suffix(b), 0) ||
    orderLocal(a.local, b.local)
  )
}

export function isPrerelease(version: Version): boolean {
  return version.pre !== null || version.dev !== null
}

function formatVersion({ epoch, release, pre, post, dev, local }: Version): string {
  return [
    epoch === 0 ? '' : `${epoch}!`,
    release.join('.'),
    pre === null ? '' : pre.join(''),
    post === null ? '' : `.post${post}`,
    dev === null ? '' : `.dev${dev}`,
    local === null ? '' : `+${local.join('.')}`,
  ].join('')
}

function int(digits = '0'): Int {
  return digits.length > 15 ? smallest(BigInt(digits)) : Number(digits)
}

/** One value has one type, so that `===` compares it. */
function smallest(value: bigint): Int {
  return value <= Number.MAX_SAFE_INTEGER ? Number(value) : value
}

/** Only digits make a number: a commit such as `67e1234` stays text. */
function localPart(part: string): Int | string {
  return /^[0-9]+$/.test(part) ? int(part) : part
}

/** What follows the release, as numbers in the order of PEP 440: `dev` alone comes before `a`, no suffix after `rc`. */
function suffix({ pre, post, dev }: Version): Int[] {
  const onlyDev = pre === null && post === null && dev !== null
  const preRank = pre !== null ? ['a', 'b', 'rc'].indexOf(pre[0]) : onlyDev ? -1 : 3
  return [preRank, pre?.[1] ?? 0, post === null ? 0 : 1, post ?? 0, dev === null ? 1 : 0, dev ?? 0]
}

function order(a: Int | string, b: Int | string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function orderAll(a: readonly Int[], b: readonly Int[], padding: Int): number {
  for (let i = 0; i < a.length || i < b.length; i++) {
    const difference = order(a[i] ?? padding, b[i] ?? padding)
    if (difference !== 0) return difference
  }
  return 0
}

/** None before any; text before numbers; a shorter one before a longer one that it begins. */
function orderLocal(a: Version['local'], b: Version['local']): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [left, right] = [a[i]!, b[i]!]
    const kinds = Number(typeof left !== 'string') - Number(typeof right !== 'string')
    const difference = kinds || order(left, right)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}
