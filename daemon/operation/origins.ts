import type { Configuration, Origin } from '../../src/config/configuration.ts'
import { readIndexConfiguration } from '../uv/index-configuration.ts'

/** envd's own settings, then the indexes that uv will be told. */
export function origins(configuration: Configuration): Origin[] {
  const index = readIndexConfiguration({
    environment: process.env,
    furtherIndexes: [],
    mapping: new Map(Object.entries(configuration.indexes)),
  })
  const indexes = index.origins.map(({ what, value, from }) => ({ key: what, value, origin: from }))
  return [...configuration.origins, ...indexes]
}
