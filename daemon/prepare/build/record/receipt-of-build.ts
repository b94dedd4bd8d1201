import type { AssembledTree } from '../../../../cache/environment/assemble-environment.ts'
import type { Distribution } from '../../../../src/closure/closure.ts'
import type { PackageRecord } from '../../../../src/report/package-record.ts'
import type { BuiltFrom, Receipt } from '../../../../src/report/receipt.ts'
import { VIRTUALENV } from '../../../../src/tree/environment-manifest.ts'
import { VERSION } from '../../../../src/version.ts'
import { PINNED_UV } from '../../../uv/pinned-uv.ts'
import type { Brought } from '../bring-packages.ts'
import type { Build } from '../build-environment.ts'

export interface BuildFacts {
  readonly packages: readonly PackageRecord[]
  readonly assembled: AssembledTree
  /** Null where the store knew all packages. */
  readonly brought: Brought | null
  /** Bytes of disk blocks of its tree, without the contents of packages. */
  readonly disk: number
  /** Disk blocks added, in bytes. */
  readonly added: number
}

export function receiptOfBuild({ key, inputs, clock }: Build, facts: BuildFacts): Receipt {
  const { closure, target, recipe } = inputs
  const { assembled, brought, disk, added } = facts
  const { digest, files, directories, links, apparentBytes } = assembled
  const packages = facts.packages
    .filter(({ name }) => name !== VIRTUALENV)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const versions = new Map(packages.map(({ name, version }) => [name, version]))
  const origins = brought?.session.index.origins ?? []
  return {
    schemaVersion: 1,
    key,
    createdAt: new Date().toISOString(),
    ...{ closure, target, recipe },
    builtFrom: closure.distributions
      .filter(({ format }) => format !== 'wheel')
      .map(distribution => builtFrom(distribution, recipe.build?.environment ?? {}, versions)),
    indexes: origins.filter(({ kind }) => kind === 'index').map(({ value }) => value),
    versions: { envd: VERSION, uv: PINNED_UV.version },
    packages: packages.map(({ name, version, packageKey, tree, uncompiled }) => ({
      ...{ name, version, packageKey, tree },
      uncompiled: uncompiled.length,
    })),
    tree: { digest, files, directories, links, bytes: apparentBytes, disk },
    conflicts: assembled.conflicts,
    linkCopies: assembled.linkCopies,
    seconds: { ...clock.seconds() },
    bytesAdded: added,
  }
}

function builtFrom(
  { name, source, filename, digest }: Distribution,
  environment: Readonly<Record<string, string>>,
  versions: ReadonlyMap<string, string>,
): BuiltFrom {
  const from = source.kind === 'git' ? `git+${source.url}@${source.commit}` : `${filename} ${digest}`
  return { name, source: from, environment, version: versions.get(name)! }
}
