import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  environmentFolder,
  environmentTree,
  MANIFEST,
  RECEIPT,
  SUMMARY,
} from '../../../cache/volume/layout.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Key } from '../../../src/digest.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import type { Summary } from '../../../src/report/receipt.ts'
import { formatEnvironmentManifest } from '../../../src/tree/environment-manifest.ts'
import { treeDigest } from '../../../src/tree/manifest.ts'
import { sha256 } from './packages.ts'

export interface SyntheticEnvironment {
  readonly key: Key
  readonly packages: readonly PackageRecord[]
}

/** Neighbours share most of their packages, those far apart few. */
export function makeEnvironments(
  volume: Volume,
  pool: readonly PackageRecord[],
  counts: { environments: number; packages: number },
): SyntheticEnvironment[] {
  return Array.from({ length: counts.environments }, (_, index) => {
    const first = (index * 7) % pool.length
    const packages = Array.from(
      { length: counts.packages },
      (_, at) => pool[(first + at + (at % 5 === 0 ? index * 31 : 0)) % pool.length]!,
    )
    const environment = { key: sha256(`environment ${index}`), packages: [...new Set(packages)] }
    writeEnvironment(volume, environment)
    return environment
  })
}

const skeleton = ['pyvenv.cfg', 'bin/activate'].map(path => ({
  ...{ kind: 'file' as const, path, mode: 0o444, size: 500 },
  sha256: sha256(path),
}))

function writeEnvironment(volume: Volume, { key, packages }: SyntheticEnvironment): void {
  const folder = environmentFolder(volume, key)
  mkdirSync(environmentTree(volume, key), { recursive: true })
  const sum = (field: 'files' | 'bytes') => packages.reduce((total, one) => total + one[field], 0)
  const manifest = formatEnvironmentManifest({ packages, decisions: [], absent: [], skeleton })
  const summary: Summary = {
    schemaVersion: 1,
    packages: packages.length,
    files: sum('files') + skeleton.length,
    bytes: sum('bytes') + skeleton.reduce((bytes, { size }) => bytes + size, 0),
    tree: treeDigest(manifest),
  }
  writeFileSync(join(folder, MANIFEST), manifest)
  writeFileSync(join(folder, RECEIPT), JSON.stringify({ schemaVersion: 1, key }))
  writeFileSync(join(folder, SUMMARY), JSON.stringify(summary))
}
