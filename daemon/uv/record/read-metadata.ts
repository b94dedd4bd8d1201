import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onMachine } from '../../../cache/disk/machine-error.ts'
import { normalizeName } from '../../../src/version/name.ts'

export interface Metadata {
  /** Normalized; null where METADATA has none. The folder's own name need not be normalized. */
  readonly name: string | null
  readonly version: string | null
}

/** From the METADATA of a `.dist-info` folder (core metadata specification: headers as in an e-mail). */
export function readMetadata(distInfo: string): Metadata {
  const file = join(distInfo, 'METADATA')
  const head = onMachine(file, () => readFileSync(file, 'utf8')).split(/\r?\n\r?\n/, 1)[0]!
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(\\S+)`, 'im').exec(head)?.[1] ?? null
  const name = field('Name')
  return { name: name === null ? null : normalizeName(name), version: field('Version') }
}
