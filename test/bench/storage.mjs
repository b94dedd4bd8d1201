import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseTasks } from './storage/choose-tasks.mjs'
import { openGround } from './storage/ground.mjs'
import { printStorage } from './storage/table.mjs'
import { describeMachine } from './support/machine.mjs'

/**
 * What the tasks of a corpus take on one volume, prepared one after another, and what they would take without envd:
 * `node test/bench/storage.mjs --corpus DIR --budget GB [--repository NAME] [--tasks N] [--keep]`
 *
 *     --corpus      folder with tasks.json and tasks/<id>/requirements.lock
 *     --budget      the most that the volume may take, in GB; not started where that is not free
 *     --repository  tasks of one repository, as `Megatron-LM`
 *     --tasks       the first N of them
 *     --keep        leave the volume and what is known of its environments for another run
 *
 * Packages come from the index that is configured. A volume that would outgrow the budget is removed, and the next one
 * takes the rest: what all tasks take together is then computed. Each repository has its own volume, and after
 * `--keep` for each of them a run without `--repository` prints all. Everything lies in TMPDIR/envd-bench-storage; after
 * an interruption the same command goes on there.
 */
const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    budget: { type: 'string' },
    repository: { type: 'string' },
    tasks: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})
const budget = Number(values.budget) * 1e9
const count = values.tasks === undefined ? Number.POSITIVE_INFINITY : Number(values.tasks)
if (values.corpus === undefined || !(budget > 0) || !(count >= 1)) {
  process.stderr.write('storage: --corpus DIR and --budget GB are needed; --tasks takes a number from 1\n')
  process.exit(2)
}

const tasks = chooseTasks(values.corpus, values.repository).slice(0, count)
const ground = openGround(join(tmpdir(), 'envd-bench-storage'))
try {
  const { bavail, bsize } = statfsSync(ground.folder)
  const needed = budget - (await ground.diskUse())
  if (bavail * bsize < needed) {
    throw new Error(`${ground.folder} lacks ${((needed - bavail * bsize) / 1e9).toFixed(1)} GB of free space`)
  }
  const left = await prepareAll()
  const all = ground.records()
  const records = tasks.flatMap(({ id }) => all.find(record => record.id === id) ?? [])
  process.stdout.write(printStorage(describeMachine(ground.folder), { records, all, left }))
  if (!values.keep) await ground.remove()
} catch (error) {
  process.exitCode = ground.interrupted ? 130 : 1
  ground.say(ground.interrupted ? 'interrupted; the same command goes on from here' : error.stack)
} finally {
  await ground.close()
}

/** Gives the tasks that no empty volume has room for. */
async function prepareAll() {
  const left = []
  if (ground.hasOthers(tasks)) await ground.newVolume()
  for (const task of tasks) {
    if (ground.records().some(({ id }) => id === task.id)) continue
    ground.write(task)
    if (!(await ground.hasRoom(task, budget))) {
      await ground.newVolume()
      if (!(await ground.hasRoom(task, budget))) {
        left.push(task.id)
        continue
      }
    }
    await ground.prepare(task)
  }
  return left
}
