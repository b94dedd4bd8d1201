import type { BuildRecord } from '../../../../src/report/build/build-record.ts'
import type { PackageRecord } from '../../../../src/report/package-record.ts'
import { VIRTUALENV } from '../../../../src/tree/environment-manifest.ts'
import type { Build } from '../build-environment.ts'
import type { BuildFacts } from './receipt-of-build.ts'

/** For the history, when all of it is done. */
export function recordOfBuild(
  { context: { input }, key, clock }: Build,
  { packages, assembled, brought, added }: Omit<BuildFacts, 'disk'>,
): BuildRecord {
  const distributions = (some: readonly PackageRecord[]) =>
    some.filter(({ name }) => name !== VIRTUALENV).length
  const files = brought?.packages.reduce((sum, one) => sum + one.files, 0) ?? 0
  const count = { packages: distributions(brought?.packages ?? []), files: brought?.newFiles ?? 0 }
  return {
    ...{ schemaVersion: 1, at: new Date().toISOString(), key, task: input.name },
    seconds: clock.seconds(),
    found: {
      packages: { known: distributions(packages) - count.packages, brought: count.packages },
      files: { known: files - count.files, brought: count.files },
    },
    bytes: { apparent: assembled.apparentBytes, added },
  }
}
