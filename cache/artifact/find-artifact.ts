import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ArtifactRecord } from '../../src/artifact/artifact-record.ts'
import { isKey, type Key } from '../../src/digest.ts'
import { hasErrno, machineError } from '../disk/machine-error.ts'
import { type At, artifactFolder, DAMAGED, TREE } from '../volume/layout.ts'

export type ArtifactKind = ArtifactRecord['source']['kind']

export interface ReadyArtifact {
  /** Its `tree/`, absolute. */
  readonly path: string
  readonly record: ArtifactRecord
}

/** Name of the file whose presence makes an artifact ready. */
export const RECORD = 'artifact.json'

/**
 * The artifact if it is ready, for the price of one small file and a stat: publication makes the folder appear with all
 * it holds. One that verification found damaged is none until a fetch has mended it (mend-artifact.ts). Errors: IO.
 */
export function findArtifact(volume: At, kind: ArtifactKind, key: Key): ReadyArtifact | null {
  const there = readArtifact(volume, kind, key)
  return there === null || existsSync(join(artifactFolder(volume, kind, key), DAMAGED)) ? null : there
}

/**
 * The artifact whether it is damaged or not. A damaged record counts as none, and the next fetch replaces it.
 * Errors: IO.
 */
export function readArtifact(volume: At, kind: ArtifactKind, key: Key): ReadyArtifact | null {
  const folder = artifactFolder(volume, kind, key)
  const file = join(folder, RECORD)
  try {
    const record = parseRecord(readFileSync(file, 'utf8'), kind, key)
    return record && { path: join(folder, TREE), record }
  } catch (error) {
    if (hasErrno(error, 'ENOENT')) return null
    throw machineError(error, file)
  }
}

function parseRecord(text: string, kind: ArtifactKind, key: Key): ArtifactRecord | null {
  let record: ArtifactRecord
  try {
    record = JSON.parse(text)
  } catch {
    return null
  }
  const { schemaVersion, source, tree, files, bytes } = record ?? {}
  const counts = [files, bytes].every(count => Number.isSafeInteger(count) && count >= 0)
  const whole = schemaVersion === 1 && record.key === key && source?.kind === kind && counts && isKey(tree)
  return whole ? record : null
}
