import type { BuildRecord } from '../../../../src/report/build/build-record.ts'
import type { Build } from '../build-environment.ts'
import type { BuildFacts } from './receipt-of-build.ts'

/** For the history, when all of it is done. */
export function recordOfBuild(
  { context: { input }, key, clock }: Build,
  { packages, assembled, brought, added }: BuildFacts,
): BuildRecord {
  const files = brought?.packages.reduce((sum, one) => sum + one.files, 0) ?? 0
  const count = { packages: brought?.packages.length ?? 0, files: brought?.newFiles ?? 0 }
  return {
    ...{ schemaVersion: 1, at: new Date().toISOString(), key, task: input.name },
    seconds: clock.seconds(),
    found: {
      packages: { known: packages.length - count.packages, brought: count.packages },
      files: { known: files - count.files, brought: count.files },
    },
    bytes: { apparent: assembled.apparentBytes, added },
  }
}
