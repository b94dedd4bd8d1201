import { readFileSync } from 'node:fs'

/**
 * `uv venv` and `uv pip sync` of the big task into `environment`, by hard links: milliseconds of each, and those of
 * `sync` that went into bytecode, as uv says. `warm`: everything has to lie in uv's cache.
 */
export async function bareUv(bench, task, { environment, cache, compile = false, warm = false }) {
  const { uv, env, interpreter, requirements } = task
  const run = args => bench.run(uv, args, { env: { ...env, UV_CACHE_DIR: cache } })
  const flags = ['--require-hashes', '--link-mode', 'hardlink', '--python', environment]
  if (compile) flags.push('--compile-bytecode')
  if (warm) flags.push('--offline')

  const venv = await run(['venv', '--python', interpreter, environment])
  const log = bench.path('log')
  const before = readFileSync(log).length
  const sync = await run(['pip', 'sync', ...flags, requirements])
  const said = readFileSync(log).subarray(before).toString()
  return {
    venv: venv.milliseconds,
    sync: sync.milliseconds,
    bytecode: compile ? bytecodeTime(said) : 0,
  }
}

/** `Bytecode compiled 43977 files in 1m 16s`, `… in 36.99s`, `… in 120ms`. */
function bytecodeTime(said) {
  const [, time] = /^Bytecode compiled \d+ files? in (.+)$/m.exec(said) ?? []
  if (time === undefined) throw new Error(`uv compiled no bytecode: ${said}`)
  const units = { m: 60_000, s: 1000, ms: 1 }
  return [...time.matchAll(/([\d.]+)(ms|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + number * units[unit],
    0,
  )
}
