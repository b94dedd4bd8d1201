import { duration } from '../support/results.mjs'

export const name = 'many-processes'
const processes = 50

/** The environment is removed first, uv's cache stays: no network in it. */
export async function measure(bench) {
  const { volume } = await bench.quickstart()
  await bench.envd(['rm', 'quickstart'], { volume })
  const started = performance.now()
  const prepared = await Promise.all(
    Array.from({ length: processes }, () => bench.envdJson(['prepare', 'quickstart'], { volume })),
  )
  const wall = performance.now() - started
  const builds = prepared.filter(({ result }) => !result.reused).length
  const keys = new Set(prepared.map(({ result }) => result.key)).size
  return [
    {
      what: `${processes} processes, one key`,
      ours: `${builds} build, ${prepared.length} successes, ${duration(wall)}`,
      ...{
        theirs: '',
        ratio: null,
        bound: `1 build, ${processes} successes`,
        met: builds === 1 && keys === 1,
      },
    },
  ]
}
