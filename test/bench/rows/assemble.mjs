import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bareUv } from '../support/bare-uv.mjs'
import { bigEnvironment } from '../support/big-environment.mjs'
import { openFloor } from '../support/floor.mjs'
import { comparePaired, median } from '../support/paired.mjs'
import { openPeakMemory } from '../support/peak-memory.mjs'
import { fasterResult, memoryResult, ratioResult } from '../support/results.mjs'
import { openVariations } from '../support/variations.mjs'

export const name = 'assemble'
const limits = { faster: 20, floor: 1.5, withoutBytecode: 1.1, megabytes: 300 }

/**
 * New environments from known packages. What a run made stays until the end of the benchmark: on ext4, folders take ten
 * times as long to make for minutes after many were removed.
 */
export async function measure(bench) {
  const { task, volume, ready } = await bigEnvironment(bench)
  const runs = []
  const ours = assembledByEnvd(bench, { task, volume, runs })
  const syncs = { uv: [], floor: [] }
  const theirs = compile => installedByUv(bench, { task, volume, compile, syncs: compile ? [] : syncs.uv })
  // uv compiles for more than a minute.
  const bytecode = await comparePaired(Math.min(bench.pairs, 2), ours, theirs(true))
  const withoutBytecode = await comparePaired(bench.pairs * 3, ours, theirs(false))
  const floor = await comparePaired(
    bench.pairs * 3,
    ours,
    await madeByFloor(bench, { volume, ready, syncs: syncs.floor }),
  )
  const what = `new environment from known packages, ${task.name}`
  const [compiled, againstFloor, plain] = [
    fasterResult(what, bytecode, limits.faster, '`uv pip sync --compile-bytecode`, warm'),
    ratioResult(`${what}, against the floor`, floor, limits.floor, 'floor.c'),
    ratioResult(`${what}, against uv without bytecode`, withoutBytecode, limits.withoutBytecode, 'uv, warm'),
  ]
  const uvFiles = readdirSync(bench.path('assembled-by-uv-0'), { recursive: true, withFileTypes: true })
  const count = uvFiles.filter(entry => entry.isFile()).length
  const aFile = ((plain.ratio * count) / ready.files).toFixed(2)
  const more = `envd links ${ready.files} files, bytecode included (it has no way without), uv ${count}: ${aFile} × uv's time a file`
  const peak = Math.max(...runs.map(run => run.peak))
  return [
    { ...compiled, notes: [...task.notes, ...compiled.notes, shares(runs)] },
    { ...againstFloor, notes: [...againstFloor.notes, durable(floor, syncs.floor)] },
    { ...plain, notes: [...plain.notes, durable(withoutBytecode, syncs.uv), more] },
    memoryResult('the same, peak memory of envd', peak, limits.megabytes),
  ]
}

function assembledByEnvd(bench, { task, volume, runs }) {
  const variations = openVariations(bench, task)
  const peak = openPeakMemory(bench)
  const options = { ...task, lockfiles: variations.lockfiles, volume, nodeArguments: peak.nodeArguments }
  return async () => {
    const variation = variations.next()
    await settle(bench)
    const { milliseconds, result } = await bench.envdJson(['prepare', variation], options)
    if (result.reused || result.seconds.install > 0) throw new Error(`${variation} was not only assembled`)
    runs.push({ process: milliseconds / 1000, peak: peak.bytes(), ...result.seconds })
    bench.say(`envd ${(milliseconds / 1000).toFixed(2)} s`)
    return { milliseconds }
  }
}

/** Into a new virtualenv, from the wheels that are unpacked in the volume. */
function installedByUv(bench, { task, volume, compile, syncs }) {
  const cache = join(volume, 'uv', task.uvVersion)
  let run = 0
  return async () => {
    const environment = bench.path(`assembled-by-uv-${compile ? 'compiled-' : ''}${run++}`)
    await settle(bench)
    const { venv, sync } = await bareUv(bench, task, { environment, cache, compile, warm: true })
    bench.say(`uv   ${((venv + sync) / 1000).toFixed(2)} s`)
    syncs.push(venv + sync + (await settle(bench)))
    return { milliseconds: venv + sync }
  }
}

async function madeByFloor(bench, { volume, ready, syncs }) {
  const floor = await openFloor(bench, volume, ready.path)
  let run = 0
  return async () => {
    await settle(bench)
    const { milliseconds } = await floor(bench.path(`assembled-by-floor-${run++}`))
    bench.say(`floor ${(milliseconds / 1000).toFixed(2)} s`)
    syncs.push(milliseconds + (await settle(bench)))
    return { milliseconds }
  }
}

/** What the run before left to be written is not the next one's to write. Gives the milliseconds it took. */
async function settle(bench) {
  return (await bench.run('sync', ['-f', bench.folder])).milliseconds
}

/** envd's environment is on disk when it is published; that of the other side is only in memory. */
function durable({ ours }, theirs) {
  const ratio = (ours / median(theirs)).toFixed(2)
  return `envd's is on the disk by then; the other side and \`sync -f\`: ${median(theirs).toFixed(0)} ms, ratio ${ratio}`
}

function shares(runs) {
  const seconds = phase => median(runs.map(run => run[phase]))
  const phases = ['resolve', 'link', 'seal'].map(phase => `${phase} ${seconds(phase).toFixed(2)} s`)
  const start = seconds('process') - seconds('total')
  return `of envd's ${seconds('process').toFixed(2)} s: ${phases.join(', ')}, outside of it ${start.toFixed(2)} s`
}
