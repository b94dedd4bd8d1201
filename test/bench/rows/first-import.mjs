import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bareUv } from '../support/bare-uv.mjs'
import { bigEnvironment } from '../support/big-environment.mjs'
import { comparePaired } from '../support/paired.mjs'
import { ratioResult } from '../support/results.mjs'

export const name = 'first-import'
const limit = 0.7
const heavy = ['torch', 'transformers']

/**
 * The first import of a process, in an environment that can't be written: Python compiles what has no bytecode, and
 * can't keep it. What is imported lies in the page cache.
 */
export async function measure(bench) {
  const { task, volume, ready } = await bigEnvironment(bench)
  const environment = bench.path('imported-by-uv')
  const cache = join(volume, 'uv', task.uvVersion)
  await bareUv(bench, task, { environment, cache, warm: true })
  await bench.run('find', [environment, '-type', 'd', '-exec', 'chmod', 'a-w', '{}', '+'])

  const modules = importedModules(task)
  const ours = importing(bench, task, ready.path, modules)
  const theirs = importing(bench, task, environment, modules)
  for (const warmUp of [ours, theirs]) await warmUp()
  const compared = await comparePaired(bench.pairs, ours, theirs)
  const written = readdirSync(environment, { recursive: true }).filter(path => path.endsWith('.pyc'))
  if (written.length > 0) throw new Error(`bytecode was written into ${environment}: ${written[0]}`)
  const what = `first import of ${modules.join(' + ')}`
  return [ratioResult(what, compared, limit, "uv's environment without bytecode")]
}

function importedModules({ locked }) {
  const found = heavy.filter(name => locked.some(({ text }) => text.startsWith(`${name}==`)))
  return found.length > 0 ? found : ['numpy']
}

function importing(bench, { env }, environment, modules) {
  const { PYTHONDONTWRITEBYTECODE, PYTHONPYCACHEPREFIX, ...inherited } = env
  const command = [join(environment, 'bin/python'), '-c', `import ${modules.join(', ')}`]
  // Root writes where nobody may, unless it has no capabilities.
  const isRoot = process.getuid() === 0
  const [first, ...rest] = isRoot
    ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', ...command]
    : command
  return async () => {
    const { milliseconds } = await bench.run(first, rest, { env: inherited })
    bench.say(`${environment.split('/').at(-1)} ${(milliseconds / 1000).toFixed(2)} s`)
    return { milliseconds }
  }
}
