import { satisfies } from '../version/specifier.ts'
import { compareVersions, parseVersion } from '../version/version.ts'

const version = String.raw`\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?`
const clause = String.raw`\s*(?:(?:==|!=)\s*${version}(?:\.\*)?|~=\s*\d+(?:\.\d+)+(?:(?:a|b|rc)\d+)?|(?:<=|>=|<|>)\s*${version})\s*`
const minorOrExact = /^\d+\.\d+(?:\.\d+(?:(?:a|b|rc)\d+)?)?$/
const range = new RegExp(`^${clause}(?:,${clause})*$`)

/** `3.12` (any patch), `3.12.1`, or version specifiers of PEP 440 without arbitrary equality. */
export function isPythonRequest(text: string): boolean {
  return minorOrExact.test(text) || range.test(text)
}

/** PEP 440 range of the interpreters that envd prepares for. */
export const SUPPORTED_PYTHONS = '>=3.10,<3.14'
export const SUPPORTED_PYTHONS_TEXT = 'CPython 3.10–3.13'

/** Whether an exact version is one of those that envd supports and fits what was requested; null: any. */
export function pythonRequirement(wanted: string | null): (version: string) => boolean {
  const asWanted = wantedVersion(wanted)
  return version => satisfies(version, SUPPORTED_PYTHONS) && asWanted(version)
}

function wantedVersion(wanted: string | null): (version: string) => boolean {
  if (wanted === null) return () => true
  if (/^\d+\.\d+$/.test(wanted)) return version => version.startsWith(`${wanted}.`)
  if (parseVersion(wanted) !== null) return version => compareVersions(version, wanted) === 0
  return version => satisfies(version, wanted)
}
