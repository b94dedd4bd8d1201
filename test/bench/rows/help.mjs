import { comparePaired } from '../support/paired.mjs'
import { ratioResult } from '../support/results.mjs'

export const name = 'help'

export async function measure(bench) {
  const ours = () => bench.envd(['--help'], { volume: bench.path('no-volume') })
  await ours()
  const compared = await comparePaired(bench.pairs * 10, ours, bench.node)
  return [ratioResult('`envd --help`', compared, 1.3, '`node -e 0`')]
}
