import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Key } from '../../src/digest.ts'
import { EnvdError } from '../../src/error.ts'
import { type EnvironmentManifest, parseEnvironmentManifest } from '../../src/tree/environment-manifest.ts'
import { MANIFEST_HEADER, treeDigest } from '../../src/tree/manifest.ts'
import { parseManifest } from '../../src/tree/parse-manifest.ts'
import { hasErrno } from '../disk/machine-error.ts'
import { findEnvironment } from '../environment/find-environment.ts'
import { readReceipt } from '../environment/receipt.ts'
import { type At, environmentFolder, MANIFEST, RECEIPT } from '../volume/layout.ts'

/** What an environment should consist of, as far as its own records can be believed. */
export interface EnvironmentParts extends Omit<EnvironmentManifest, 'decisions'> {
  readonly key: Key
}

/** Which of its records is damaged, by its path in the environment's folder. */
export interface DamagedRecords {
  readonly key: Key
  readonly record: string
  readonly detail: string
}

/** Null where there is no such environment. Every record is held against the others. */
export function readEnvironmentParts(at: At, key: Key): EnvironmentParts | DamagedRecords | null {
  let record = 'summary.json'
  try {
    const ready = findEnvironment(at, key)
    if (ready === null) return null
    record = RECEIPT
    const receipt = readReceipt(at, key)
    if (receipt === null) return gone(at, key, record)
    record = MANIFEST
    const text = readFileSync(join(environmentFolder(at, key), MANIFEST), 'utf8')
    const digest = treeDigest(text)
    if (digest !== ready.summary.tree || digest !== receipt.tree.digest) {
      return { key, record, detail: 'not the tree that receipt and summary name' }
    }
    return { key, ...parse(text) }
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return gone(at, key, record)
    if (error instanceof EnvdError && error.code !== 'VOLUME_CORRUPT') throw error
    return { key, record, detail: (error as Error).message }
  }
}

/** One that was removed while it was read is no damage. */
function gone(at: At, key: Key, record: string): DamagedRecords | null {
  return findEnvironment(at, key) && { key, record, detail: 'missing' }
}

/** Environments of one piece, without packages, have a plain tree. */
function parse(text: string): Omit<EnvironmentManifest, 'decisions'> {
  if (!text.startsWith(`${MANIFEST_HEADER}\n`)) return parseEnvironmentManifest(text)
  return { packages: [], absent: [], skeleton: parseManifest(text) }
}
