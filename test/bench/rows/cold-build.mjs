import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { comparePaired, median } from '../support/paired.mjs'
import { ratioResult } from '../support/results.mjs'

export const name = 'cold-build'

/** Both sides from nothing: an empty volume here, an empty cache there, the same wheels from the same index. */
export async function measure(bench) {
  const task = await bench.bigTask()
  requireSpace(bench, task)
  const runs = []
  const ours = async () => {
    const volume = bench.path('cold-volume')
    await bench.remove(volume)
    await settle(bench)
    rmSync(bench.path('sync-nanoseconds'), { force: true })
    const { milliseconds, result } = await bench.envdJson(['prepare', task.name], { ...task, volume })
    const fsync = Number(readFileSync(bench.path('sync-nanoseconds'), 'utf8')) / 1e9
    runs.push({ process: milliseconds / 1000, fsync, ...result.seconds })
    bench.say(`envd ${(milliseconds / 1000).toFixed(1)} s`)
    bench.bigVolume = volume
    return { milliseconds }
  }
  const theirs = async () => {
    const folder = bench.path('cold-uv')
    await settle(bench)
    const times = await bareUv(bench, task, folder)
    const milliseconds = times.reduce((sum, time) => sum + time, 0)
    bench.say(`uv   ${times.map(time => (time / 1000).toFixed(1)).join(' + ')} s (venv, sync, fsync)`)
    await bench.remove(folder)
    return { milliseconds }
  }
  const compared = await comparePaired(bench.pairs, ours, theirs)
  const result = ratioResult(`cold build, ${task.name}`, compared, 1.3, 'uv alone')
  return [{ ...result, notes: [...task.notes, ...result.notes, shares(runs)] }]
}

async function bareUv(bench, { uv, env, interpreter, requirements }, folder) {
  mkdirSync(folder)
  const variables = { ...env, UV_CACHE_DIR: `${folder}/cache` }
  const environment = `${folder}/environment`
  const install = ['pip', 'sync', '--require-hashes', '--link-mode', 'hardlink', '--python', environment]
  const commands = [
    [uv, ['venv', '--python', interpreter, environment]],
    [uv, [...install, requirements]],
    ['sync', ['-f', folder]],
  ]
  const times = []
  for (const [command, args] of commands)
    times.push((await bench.run(command, args, { env: variables })).milliseconds)
  return times
}

/** What the run before left to be written is not the next one's to write. */
async function settle(bench) {
  await bench.run('sync', ['-f', bench.folder])
}

/** An environment takes about 2.5 times its wheels, and two lie side by side. */
function requireSpace({ folder }, { wheelBytes }) {
  const { bavail, bsize } = statfsSync(folder)
  const needed = 6 * wheelBytes
  if (bavail * bsize >= needed) return
  throw new Error(`${folder} needs ${(needed / 1e9).toFixed(0)} GB of free space; set TMPDIR`)
}

function shares(runs) {
  const seconds = phase => median(runs.map(run => run[phase]))
  const total = seconds('process')
  const share = (phase, of = seconds(phase)) =>
    `${phase} ${of.toFixed(2)} s (${((of / total) * 100).toFixed(0)} %)`
  const phases = ['resolve', 'download', 'install', 'link', 'hash', 'seal'].map(phase => share(phase))
  const start = share('outside of it', total - seconds('total'))
  return `of envd's ${total.toFixed(1)} s: ${phases.join(', ')}, ${share('fsync')} in seal, ${start}`
}
