import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { factsFolder } from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import { remember } from '../../../cache/volume/remember.ts'
import { fingerprintOf } from '../fingerprint.ts'

/** `facts/refusals/<sha256 of the path>.json`. */
interface Refusal {
  readonly path: string
  readonly fingerprint: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** By path; others than the owner have only these: what runs for one user may not for another. */
const refusedHere = new Map<string, Refusal>()

/** An interpreter may be healed without a change to its file: a library it lacked is there now. */
const believedMs = 3_600_000

/** True when this interpreter couldn't be used within the last hour, and its file is still the same. */
export function isKnownToRefuse(volume: Volume, path: string): boolean {
  const refusal = refusedHere.get(path) ?? readRefusal(volume, path)
  if (refusal === undefined) return false
  const age = Date.now() - refusal.since
  if (refusal.path !== path || !(age >= 0 && age < believedMs)) return false
  return refusal.fingerprint === fingerprintOf(path)
}

/** So that an interpreter that is broken, or hangs, isn't run by each command. */
export function rememberRefusal(volume: Volume, path: string): void {
  const fingerprint = fingerprintOf(path)
  if (fingerprint === undefined) return
  const refusal: Refusal = { path, fingerprint, since: Date.now() }
  refusedHere.set(path, refusal)
  remember(volume, refusalFile(volume, path), JSON.stringify(refusal))
}

function readRefusal(volume: Volume, path: string): Refusal | undefined {
  if (!volume.owned) return undefined
  try {
    return JSON.parse(readFileSync(refusalFile(volume, path), 'utf8')) as Refusal
  } catch {
    return undefined
  }
}

function refusalFile(volume: Volume, path: string): string {
  return join(factsFolder(volume, 'refusals'), `${createHash('sha256').update(path).digest('hex')}.json`)
}
