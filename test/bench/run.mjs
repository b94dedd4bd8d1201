import { parseArgs } from 'node:util'
import * as assemble from './rows/assemble.mjs'
import * as coldBuild from './rows/cold-build.mjs'
import * as containerStart from './rows/container-start.mjs'
import * as disk from './rows/disk.mjs'
import * as firstImport from './rows/first-import.mjs'
import * as firstSight from './rows/first-sight.mjs'
import * as help from './rows/help.mjs'
import * as index from './rows/index.mjs'
import * as library from './rows/library.mjs'
import * as manyProcesses from './rows/many-processes.mjs'
import * as verify from './rows/verify.mjs'
import * as warmHit from './rows/warm-hit.mjs'
import * as weights from './rows/weights.mjs'
import { openBench } from './support/bench.mjs'
import { describeMachine } from './support/machine.mjs'
import { printResults } from './support/results.mjs'

/**
 * Measures envd against what one would run without it, and prints the table on stdout:
 * `npm run bench -- [--only NAME] [--wheels DIR] [--corpus DIR] [--pairs N] > test/bench/RESULTS.md`
 *
 *     --only    one row: cold-build, disk, verify, first-import, warm-hit, assemble, library, first-sight, help,
 *               many-processes, index, container-start (as root, with podman, crun and runc), weights (16 GB; curl, openssl)
 *     --wheels  folder of the wheels of a vLLM task of lockfiles/ or the corpus; what it lacks is downloaded
 *               into it. Without: the wheels of the quickstart.
 *     --corpus  folder with tasks/<id>/{requirements.lock,uv.lock}
 *     --pairs   paired runs of the cold build (3), of processes ten times as many
 *
 * What a corpus takes on the disk is measured by storage.mjs.
 *
 * TMPDIR must be on the file system to measure, with room for two environments (16 GB for vLLM's). Run it on a quiet machine.
 */
// The cold build leaves behind the volume that the rows after it are measured on.
const rows = {
  coldBuild,
  disk,
  verify,
  firstImport,
  warmHit,
  assemble,
  library,
  firstSight,
  help,
  manyProcesses,
  index,
  containerStart,
  weights,
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    wheels: { type: 'string' },
    corpus: { type: 'string' },
    pairs: { type: 'string', default: '3' },
  },
})
const pairs = Number(values.pairs)
const chosen = Object.values(rows).filter(({ name }) => values.only === undefined || values.only === name)
if (chosen.length === 0 || !Number.isInteger(pairs) || pairs < 1) {
  const names = Object.values(rows).map(({ name }) => name)
  process.stderr.write(`bench: --only takes one of ${names.join(', ')}; --pairs a number from 1\n`)
  process.exit(2)
}

const bench = openBench({ wheels: values.wheels, corpus: values.corpus, pairs })
try {
  const results = []
  for (const { name, measure } of chosen) {
    bench.say(`measuring ${name}`)
    results.push(...(await measure(bench)))
  }
  process.stdout.write(printResults(describeMachine(bench.folder), results))
} catch (error) {
  process.exitCode = bench.interrupted ? 130 : 1
  bench.say(bench.interrupted ? 'interrupted' : error.stack)
} finally {
  await bench.close()
}
