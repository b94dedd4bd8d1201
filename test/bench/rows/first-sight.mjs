import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateUvLock } from '../support/generate-uv-lock.mjs'
import { comparePaired } from '../support/paired.mjs'
import { openPeakMemory } from '../support/peak-memory.mjs'
import { duration, memoryResult } from '../support/results.mjs'

export const name = 'first-sight'
const wanted = 2 ** 20
const limits = { milliseconds: 400, megabytes: 200 }
const task = 'first-sight'

/**
 * From a lock never seen to its key, without the start of Node. The volume and the interpreter are known; each
 * run sees a lock with a line of comment that no other had.
 */
export async function measure(bench) {
  const { volume } = await bench.quickstart()
  const { text, from } = chooseLock(bench.corpus)
  const lockfiles = bench.path('first-sight-lockfiles')
  const options = { volume, lockfiles }
  let run = 0
  const look = more => {
    writeTask(lockfiles, `${text}\n# ${run++}\n`)
    return bench.envd(['prepare', task, '--dry-run', '--json'], { ...options, ...more })
  }
  // Finds the interpreter.
  await look()
  const { difference, ours, ratios } = await comparePaired(bench.pairs * 5, look, bench.node)
  const peak = openPeakMemory(bench)
  await look({ nodeArguments: peak.nodeArguments })
  const what = `key of a uv.lock of ${(text.length / 1e6).toFixed(2)} MB (${from}), first sight`
  const common = { theirs: '', ratio: null }
  return [
    {
      ...common,
      ...{ what, ours: duration(difference), bound: `≤ ${limits.milliseconds} ms` },
      met: difference <= limits.milliseconds,
      notes: [`${ratios.length} pairs, minus \`node -e 0\`; the whole process ${duration(ours)}`],
    },
    memoryResult('the same, peak memory', peak.bytes(), limits.megabytes),
  ]
}

/** The one nearest to 1 MB. */
function chooseLock(corpus) {
  if (corpus === undefined) return { text: generateUvLock(wanted), from: 'generated' }
  const tasks = join(corpus, 'tasks')
  const [best] = readdirSync(tasks)
    .map(id => ({ id, file: join(tasks, id, 'uv.lock') }))
    .flatMap(({ id, file }) => {
      const size = statSync(file, { throwIfNoEntry: false })?.size
      return size === undefined ? [] : [{ id, file, distance: Math.abs(size - wanted) }]
    })
    .sort((a, b) => a.distance - b.distance)
  return { text: readFileSync(best.file, 'utf8'), from: best.id }
}

function writeTask(lockfiles, lock) {
  const folder = join(lockfiles, task)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'task.toml'), 'lock = "uv.lock"\n')
  writeFileSync(join(folder, 'uv.lock'), lock)
}
