import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { quantile } from '../support/paired.mjs'
import { duration } from '../support/results.mjs'
import { root } from '../support/root.mjs'

export const name = 'library'
const calls = 1000
const limit = 2

/** No process start: the calls are made in this one, after none to warm up. */
export async function measure(bench) {
  const { volume } = await bench.quickstart()
  const { loadConfiguration, openDoor } = await import(pathToFileURL(join(root, 'dist/door.js')).href)
  const flags = {}
  const variables = { ...process.env, ENVD_VOLUME: volume, ENVD_LOCKFILES: join(root, 'lockfiles') }
  const door = openDoor(loadConfiguration(flags, variables))
  const milliseconds = []
  for (let call = 0; call < calls; call++) {
    const started = performance.now()
    const [outcome] = await door.prepare({ tasks: ['quickstart'] })
    milliseconds.push(performance.now() - started)
    if (!outcome.ok || !outcome.result.reused || !outcome.result.path.startsWith(volume + sep))
      throw new Error(`no hit: ${JSON.stringify(outcome)}`)
  }
  const [p50, p99] = [0.5, 0.99].map(share => quantile(milliseconds, share))
  return [
    {
      what: 'warm hit through the library, p50',
      ...{ ours: duration(p50), theirs: '', ratio: null, bound: `≤ ${limit} ms`, met: p50 <= limit },
      notes: [`${calls} calls, p99 ${duration(p99)}, the first ${duration(milliseconds[0])}`],
    },
  ]
}
