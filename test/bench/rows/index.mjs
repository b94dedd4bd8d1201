import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { median, quantile } from '../support/paired.mjs'
import { duration } from '../support/results.mjs'
import { root } from '../support/root.mjs'

export const name = 'index'
const environments = 10_000
const limits = { hit: 10, list: 200 }
const calls = 1000
const lists = 20

/** A synthetic volume (test/bench/synthetic) with as many tasks as environments; no process start in the times. */
export async function measure(bench) {
  const volume = bench.path('synthetic-volume')
  const lockfiles = bench.path('synthetic-lockfiles')
  await makeVolume(bench, volume, lockfiles)
  process.env.XDG_CACHE_HOME = bench.path('synthetic-cache')
  const { loadConfiguration, openDoor } = await import(pathToFileURL(join(root, 'dist/door.js')).href)
  const door = openDoor(loadConfiguration({ volume, lockfiles }, process.env))

  const milliseconds = []
  for (let call = 0; call < calls; call++) {
    const task = `task-${String((call * 7919) % environments).padStart(5, '0')}`
    const { value, time } = await timed(async () => (await door.prepare({ tasks: [task] }))[0])
    if (!value.ok || !value.result.reused || !value.result.path.startsWith(volume + sep))
      throw new Error(`no hit: ${JSON.stringify(value)}`)
    milliseconds.push(time)
  }
  const [p50, p99] = [0.5, 0.99].map(share => quantile(milliseconds, share))

  const first = await timed(() => door.list())
  const listed = []
  for (let call = 0; call < lists; call++) {
    const { value, time } = await timed(() => door.list())
    if (value.length !== environments || value.some(({ state }) => state !== 'ready'))
      throw new Error('not every task is listed as ready')
    listed.push(time)
  }
  const built = await timed(() => door.rebuildIndex())
  const status = await timed(() => door.index())
  return [
    {
      what: `hit among ${environments} environments of 300 packages, p99`,
      ...{ ours: duration(p99), theirs: '', ratio: null, bound: `≤ ${limits.hit} ms` },
      met: p99 <= limits.hit,
      notes: [`${calls} calls of different tasks, p50 ${duration(p50)}`],
    },
    {
      what: `\`ls\` of ${environments} tasks, through the library`,
      ...{ ours: duration(median(listed)), theirs: '', ratio: null, bound: `≤ ${limits.list} ms` },
      met: median(listed) <= limits.list,
      notes: [
        `${lists} calls, the slowest ${duration(Math.max(...listed))}; the first, which reads every task, ${duration(first.time)}`,
        `index made from nothing in ${duration(built.time)}, ${(built.value.size / 1e6).toFixed(0)} MB; asked whether it is current in ${duration(status.time)}`,
      ],
    },
  ]
}

async function makeVolume(bench, volume, lockfiles) {
  const program = join(root, 'dist/bench/synthetic.mjs')
  await build({
    entryPoints: [join(root, 'test/bench/synthetic/main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.20',
    packages: 'external',
    logLevel: 'error',
  })
  bench.say(`making a volume of ${environments} environments`)
  const options = ['--volume', volume, '--lockfiles', lockfiles, '--environments', String(environments)]
  await bench.run(process.execPath, [program, ...options])
}

async function timed(action) {
  const started = performance.now()
  const value = await action()
  return { value, time: performance.now() - started }
}
