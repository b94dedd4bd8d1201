import { mkdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { bareUv } from '../support/bare-uv.mjs'
import { comparePaired, median } from '../support/paired.mjs'
import { openPeakMemory } from '../support/peak-memory.mjs'
import { memoryResult, ratioResult } from '../support/results.mjs'

export const name = 'cold-build'
const limits = { ratio: 1.25, megabytes: 300 }

/** Both sides from nothing, bytecode included: an empty volume here, an empty cache there, the same wheels from the same index. */
export async function measure(bench) {
  const task = await bench.bigTask()
  requireSpace(bench, task)
  const runs = []
  const withoutBytecode = []
  const peak = openPeakMemory(bench)
  const { nodeArguments } = peak
  const ours = async () => {
    const volume = bench.path('cold-volume')
    await bench.remove(volume)
    await settle(bench)
    rmSync(bench.path('sync-nanoseconds'), { force: true })
    const options = { ...task, volume, nodeArguments }
    const { milliseconds, result } = await bench.envdJson(['prepare', task.name], options)
    const fsync = Number(readFileSync(bench.path('sync-nanoseconds'), 'utf8')) / 1e9
    runs.push({ process: milliseconds / 1000, fsync, peak: peak.bytes(), ...result.seconds })
    bench.say(`envd ${(milliseconds / 1000).toFixed(1)} s`)
    bench.bigVolume = volume
    return { milliseconds }
  }
  const theirs = async () => {
    const folder = bench.path('cold-uv')
    await settle(bench)
    mkdirSync(folder)
    const places = { environment: `${folder}/environment`, cache: `${folder}/cache` }
    const { venv, sync, bytecode } = await bareUv(bench, task, { ...places, compile: true })
    const { milliseconds: fsync } = await bench.run('sync', ['-f', folder])
    const milliseconds = venv + sync + fsync
    withoutBytecode.push((milliseconds - bytecode) / 1000)
    bench.say(`uv   ${(milliseconds / 1000).toFixed(1)} s, ${(bytecode / 1000).toFixed(1)} s of it bytecode`)
    await bench.remove(folder)
    return { milliseconds }
  }
  const compared = await comparePaired(bench.pairs, ours, theirs)
  const against = '`uv pip sync --compile-bytecode`, `sync -f`'
  const result = ratioResult(`cold build, ${task.name}`, compared, limits.ratio, against)
  const bare = `uv without its time for bytecode: ${median(withoutBytecode).toFixed(1)} s`
  return [
    { ...result, notes: [...task.notes, ...result.notes, shares(runs), bare] },
    memoryResult('the same, peak memory of envd', Math.max(...runs.map(run => run.peak)), limits.megabytes),
  ]
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
  const phases = ['resolve', 'download', 'install', 'compile', 'hash', 'link', 'seal'].map(phase =>
    share(phase),
  )
  const start = share('outside of it', total - seconds('total'))
  return `of envd's ${total.toFixed(1)} s: ${phases.join(', ')}, ${share('fsync')} in seal, ${start}`
}
