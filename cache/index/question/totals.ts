import type { IndexStatus } from '../../../src/api/operations.ts'
import type { IndexDatabase } from '../open-index.ts'

export type Totals = Omit<IndexStatus, 'path' | 'size' | 'current' | 'changes'>

export function totals(database: IndexDatabase): Totals {
  const ask = (sql: string) => database.prepare<[], number>(`SELECT ${sql}`).pluck().get()!
  return {
    environments: ask('count(*) FROM environment WHERE tree IS NOT NULL'),
    packages: ask('count(*) FROM package WHERE tree IS NOT NULL'),
    trees: ask('count(*) FROM tree WHERE listed = 1 AND files IS NOT NULL'),
    blobs: ask('count(*) FROM blob WHERE listed = 1'),
    tasks: ask('(SELECT count(*) FROM (SELECT DISTINCT lockfiles, task FROM task WHERE key IS NOT NULL))'),
    damaged: ask(`(SELECT count(*) FROM environment WHERE tree IS NULL)
      + (SELECT count(*) FROM package WHERE tree IS NULL)
      + (SELECT count(*) FROM tree WHERE listed = 1 AND files IS NULL)`),
    bytes: {
      apparent: ask('total(bytes) FROM environment'),
      unique: ask(`(SELECT total(size) FROM blob WHERE listed = 1)
        + (SELECT total(own_bytes) FROM environment)`),
    },
  }
}
