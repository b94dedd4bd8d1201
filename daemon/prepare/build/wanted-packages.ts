import { findPackage } from '../../../cache/package/find-package.ts'
import type { Volume } from '../../../cache/volume/open-volume.ts'
import type { Distribution } from '../../../src/closure/closure.ts'
import type { Key } from '../../../src/digest.ts'
import { digestOf, type KeyInputs } from '../../../src/key/environment-key.ts'
import { packageKey } from '../../../src/key/package-key.ts'
import type { PackageRecord } from '../../../src/report/package-record.ts'
import { PINNED_UV } from '../../uv/pinned-uv.ts'

/** What an environment is made of: a distribution, or (null) the files of every virtualenv, `activate` and such. */
export interface WantedPackage {
  readonly packageKey: Key
  readonly distribution: Distribution | null
}

export interface FoundPackages {
  readonly known: readonly PackageRecord[]
  readonly missing: readonly WantedPackage[]
}

/** Looks up, in the store, the packages of an environment. */
export function findPackages(volume: Volume, inputs: KeyInputs): FoundPackages {
  const known: PackageRecord[] = []
  const missing: WantedPackage[] = []
  for (const wanted of wantedPackages(inputs)) {
    const record = findPackage(volume, wanted.packageKey)
    if (record) known.push(record)
    else missing.push(wanted)
  }
  return { known, missing }
}

function wantedPackages({ closure, target, recipe }: KeyInputs): WantedPackage[] {
  const { implementation, version, abi } = target
  const virtualenv = digestOf('envd virtualenv key 1', {
    interpreter: { implementation, version, abi },
    installer: recipe.installer,
    uv: PINNED_UV.version,
  })
  return [
    { packageKey: virtualenv, distribution: null },
    ...closure.distributions.map(distribution => ({
      packageKey: packageKey(distribution, target, recipe),
      distribution,
    })),
  ]
}
