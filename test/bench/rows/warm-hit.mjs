import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bigEnvironment } from '../support/big-environment.mjs'
import { comparePaired } from '../support/paired.mjs'
import { ratioResult } from '../support/results.mjs'

export const name = 'warm-hit'

export async function measure(bench) {
  return [await againstNode(bench), await againstUv(bench)]
}

async function againstNode(bench) {
  const { volume } = await bench.quickstart()
  const hit = await hitOf(bench, 'quickstart', { volume })
  const compared = await comparePaired(bench.pairs * 10, hit, bench.node)
  return ratioResult('warm hit, quickstart', compared, 1.4, '`node -e 0`')
}

async function againstUv(bench) {
  const { task, volume } = await bigEnvironment(bench)
  const hit = await hitOf(bench, task.name, { ...task, volume })
  const nothingToDo = await installedByUv(bench, task)
  const compared = await comparePaired(bench.pairs * 10, hit, nothingToDo)
  const result = ratioResult(
    `warm hit, the lock of ${task.name}`,
    compared,
    1.3,
    '`uv pip sync`, nothing to do',
  )
  return { ...result, notes: [...task.notes, ...result.notes] }
}

/** The command to time, after one look at what it answers. */
async function hitOf(bench, task, options) {
  const { result } = await bench.envdJson(['prepare', task], options)
  if (!result.reused) throw new Error(`${task} was no hit`)
  return () => bench.envd(['prepare', task, '--json'], options)
}

/** An environment of the same lock by uv alone, from the wheels that are in the volume, and the command to time. */
async function installedByUv(bench, { uv, uvVersion, env, interpreter, lock }) {
  const environment = bench.path('uv-environment')
  const variables = { ...env, UV_CACHE_DIR: join(bench.bigVolume, 'uv', uvVersion) }
  const own = bench.path('lock-of-uv')
  let text = readFileSync(lock, 'utf8')
  const sync = () => {
    const args = ['pip', 'sync', '--link-mode', 'hardlink', '--python', environment, own]
    return bench.run(uv, args, { env: variables })
  }
  bench.say('installing the same lock by uv alone')
  await bench.run(uv, ['venv', '--python', interpreter, environment], { env: variables })
  for (let again = 0; again < 6; again++) {
    writeFileSync(own, text)
    const before = readFileSync(bench.path('log')).length
    await sync()
    const said = readFileSync(bench.path('log')).subarray(before).toString()
    if (!/^ [-+~] /m.test(said)) return sync
    // A wheel whose WHEEL file names other tags than its file name is installed anew each time.
    for (const [, name] of said.matchAll(/^ ~ ([^=\s]+)==/gm)) text = without(text, name)
  }
  throw new Error('uv never had nothing to do')
}

function without(lock, name) {
  return lock
    .split(/\n(?=\S)/)
    .filter(block => !block.startsWith(`${name}==`))
    .join('\n')
}
