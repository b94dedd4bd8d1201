import type { SealedTree } from '../../cache/environment/seal-tree.ts'
import type { PhaseSeconds } from '../../src/api/prepare.ts'
import type { Distribution } from '../../src/closure/closure.ts'
import type { Key } from '../../src/digest.ts'
import type { KeyInputs } from '../../src/key/environment-key.ts'
import { packageKey } from '../../src/key/package-key.ts'
import type { BuiltFrom, Receipt } from '../../src/report/receipt.ts'
import { VERSION } from '../../src/version.ts'
import type { UvSession } from '../uv/run/uv-session.ts'

export interface BuildFacts {
  readonly key: Key
  readonly inputs: KeyInputs
  /** Version of each distribution as its metadata tells it. */
  readonly installed: ReadonlyMap<string, string>
  readonly sealed: SealedTree
  readonly session: UvSession
  readonly seconds: PhaseSeconds
  /** Disk blocks added, in bytes. */
  readonly added: number
}

export function receiptOfBuild({
  key,
  inputs,
  installed,
  sealed,
  session,
  seconds,
  added,
}: BuildFacts): Receipt {
  const { closure, target, recipe } = inputs
  const { digest, files, directories, links, apparentBytes } = sealed
  return {
    schemaVersion: 1,
    key,
    createdAt: new Date().toISOString(),
    ...{ closure, target, recipe },
    builtFrom: closure.distributions
      .filter(({ format }) => format !== 'wheel')
      .map(distribution => builtFrom(distribution, inputs, installed)),
    indexes: session.index.origins.filter(({ what }) => what.endsWith('index')).map(({ value }) => value),
    versions: { envd: VERSION, uv: session.uv.version },
    packages: closure.distributions.map(distribution => ({
      name: distribution.name,
      version: distribution.version ?? installed.get(distribution.name)!,
      packageKey: packageKey(distribution, target, recipe),
    })),
    tree: { digest, files, directories, links, bytes: apparentBytes },
    seconds: { ...seconds },
    bytesAdded: added,
  }
}

function builtFrom(
  { name, source, filename, digest }: Distribution,
  { recipe }: KeyInputs,
  installed: ReadonlyMap<string, string>,
): BuiltFrom {
  const from = source.kind === 'git' ? `git+${source.url}@${source.commit}` : `${filename} ${digest}`
  return {
    name,
    source: from,
    environment: recipe.build?.environment ?? {},
    wheel: null,
    version: installed.get(name)!,
  }
}
