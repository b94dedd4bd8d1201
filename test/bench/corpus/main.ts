import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Row } from './comparison.ts'
import { compareRequirementsLock, type KnownClosure } from './requirements-locks.ts'
import { compareUvLock } from './uv-locks.ts'

/**
 * `--corpus DIR` has `closures.json` and `tasks/<task>/` with requirements.lock and perhaps uv.lock beside its
 * pyproject.toml. `--task` names some of the tasks, `--uv` another uv than the one on PATH. Exits 1 where
 * a closure differs from a reference without a listed reason.
 */
const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    task: { type: 'string', multiple: true },
    uv: { type: 'string', default: 'uv' },
  },
})
if (values.corpus === undefined) {
  process.stderr.write('usage: node test/bench/corpus-closures.mjs --corpus DIR [--task NAME]… [--uv PATH]\n')
  process.exit(2)
}
const tasks = join(values.corpus, 'tasks')
const closures = JSON.parse(readFileSync(join(values.corpus, 'closures.json'), 'utf8')) as Record<
  string,
  KnownClosure
>

const shown = 10 // differences of one lock; the others mostly repeat them for other targets
const rows: Row[] = []
for (const task of values.task ?? readdirSync(tasks).sort()) {
  const folder = join(tasks, task)
  progress(task)
  const known = closures[task]
  if (known !== undefined) {
    rows.push(...compareRequirementsLock(values.uv, task, join(folder, 'requirements.lock'), known))
  }
  if (existsSync(join(folder, 'uv.lock'))) rows.push(...compareUvLock(values.uv, task, folder, progress))
}
print(rows)
process.exitCode = rows.some(row => row.differences.length > 0) ? 1 : 0

function progress(what: string): void {
  process.stderr.write(`${what}\n`)
}

function print(all: readonly Row[]): void {
  process.stdout.write('| lock | reference | same files | refused by both | listed | unexplained |\n')
  process.stdout.write('| --- | --- | --- | --- | --- | --- |\n')
  for (const { lock, reference, same, refusedByBoth, listed, differences } of all) {
    const reasons = [...listed].map(([reason, count]) => `${count}: ${reason}`).join('; ')
    process.stdout.write(
      `| ${lock} | ${reference} | ${same} | ${refusedByBoth} | ${reasons} | ${differences.length} |\n`,
    )
  }
  for (const { lock, differences } of all) {
    for (const difference of differences.slice(0, shown)) process.stdout.write(`${lock}: ${difference}\n`)
    if (differences.length > shown)
      process.stdout.write(`${lock}: … and ${differences.length - shown} more\n`)
  }
}
