import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findInterpreter } from './find-interpreter.mjs'
import { root } from './root.mjs'
import { readTask, writeTask } from './task-folder.mjs'
import { toolsOnPath } from './tools.mjs'
import { downloadWheels, hashWheels } from './wheels.mjs'

/**
 * The task of the cold build, served by an index of its wheels on 127.0.0.1: the vLLM task whose files `--wheels` has, or the
 * quickstart. Source distributions are left out of its lock, for both sides.
 */
export async function prepareBigTask(bench) {
  const { uv, uvVersion } = await bench.quickstart()
  const wheels = bench.wheels ?? bench.emptyFolder('wheels')
  mkdirSync(wheels, { recursive: true })
  bench.say(`hashing ${wheels}`)
  let files = await hashWheels(wheels)
  const { name, taskFile, locked } = chooseTask(bench, files)
  const interpreter = await findInterpreter(bench, taskFile)
  if (locked.some(({ digests }) => !covers(files, digests))) {
    await downloadWheels(bench, { name, taskFile, locked, interpreter, files, wheels })
    files = await hashWheels(wheels)
  }
  const kept = locked.filter(({ digests }) => covers(files.filter(isWheel), digests))
  const served = files
    .filter(isWheel)
    .filter(({ digest }) => kept.some(({ digests }) => digests.includes(digest)))
  const lockfiles = bench.path('lockfiles')
  writeTask(join(lockfiles, name), { taskFile, locked: kept })
  const { url } = await bench.serve(new URL('index-server.mjs', import.meta.url), served)
  const env = {
    ...withoutIndexes(process.env),
    UV_DEFAULT_INDEX: url,
    PATH: toolsOnPath(bench, uv),
    ENVD_PYTHON: interpreter,
    XDG_CONFIG_HOME: bench.path('no-configuration'),
  }
  const requirements = await writeRequirements(bench, { name, lockfiles, env })
  return {
    ...{
      name,
      lockfiles,
      lock: join(lockfiles, name, 'requirements.lock'),
      requirements,
      uvVersion,
      uv,
      env,
      interpreter,
    },
    ...{ taskFile, locked: kept, served },
    wheelBytes: served.reduce((sum, { size }) => sum + size, 0),
    notes: notes(bench, locked, kept),
  }
}

const isWheel = ({ filename }) => filename.endsWith('.whl')
const covers = (files, digests) => files.some(({ digest }) => digests.includes(digest))

function chooseTask({ wheels, corpus }, files) {
  const shipped = join(root, 'lockfiles')
  if (wheels === undefined) return readTask(join(shipped, 'quickstart'))
  const folders = [shipped, ...(corpus === undefined ? [] : [join(corpus, 'tasks')])].flatMap(folder =>
    readdirSync(folder)
      .filter(id => id.startsWith('vllm-'))
      .map(id => join(folder, id)),
  )
  const digests = new Set(files.map(({ digest }) => digest))
  const has = task => task.locked.filter(one => one.digests.some(digest => digests.has(digest))).length
  return folders.map(readTask).sort((a, b) => has(b) / b.locked.length - has(a) / a.locked.length)[0]
}

/** The lines that envd gives to uv, for uv alone. */
async function writeRequirements(bench, { name, ...options }) {
  const volume = bench.path('dry-run-volume')
  const { result } = await bench.envdJson(['prepare', name, '--dry-run'], { ...options, volume })
  const lines = result.closure.map(({ name, version, digest }) => `${name}==${version} --hash=${digest}\n`)
  const file = bench.path('requirements.txt')
  writeFileSync(file, lines.join(''))
  return file
}

/** Whatever the user configured, both sides ask the local index only. */
function withoutIndexes(variables) {
  const other =
    /^(UV_(INDEX|EXTRA_INDEX|DEFAULT_INDEX|FIND_LINKS|NO_INDEX|CONFIG|CACHE|LINK|COMPILE)|PIP_|ENVD_)/
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !other.test(name)))
}

function notes({ wheels }, locked, kept) {
  const left = locked.length - kept.length
  return [
    ...(wheels === undefined
      ? ['without --wheels the small quickstart stands in, for which the bounds are not meant']
      : []),
    ...(left > 0
      ? [
          `${left} of ${locked.length} entries of the lock (source only, or for another Python) left out of both sides`,
        ]
      : []),
  ]
}
