import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { comparePaired, median } from '../support/paired.mjs'
import { openPeakMemory } from '../support/peak-memory.mjs'
import { duration, memoryResult, ratioResult } from '../support/results.mjs'
import { root } from '../support/root.mjs'

export const name = 'weights'
const limits = { ratio: 1 / 0.9, megabytes: 200, milliseconds: 50, disk: 0.01, again: 0.12 }

/** 4 GB in 30 files; in the second revision a tenth of it is other. */
const sizes = [...Array(8).fill(450_000_000), ...Array(22).fill(18_000_000)]
const changed = [0]
const [first, second] = ['1', '2'].map(digit => digit.repeat(40))

/** Weights of a repository on a local hub: brought, named again, in a newer revision, and after a kill. */
export async function measure(bench) {
  const hub = await openHub(bench)
  const lockfiles = makeTasks(bench)
  const peak = openPeakMemory(bench)
  const peaks = []
  let run = 0
  const fetch = async () => {
    const volume = bench.path(`weights-${run++}`)
    const options = { volume, lockfiles, env: { HF_ENDPOINT: hub.url }, nodeArguments: peak.nodeArguments }
    const { milliseconds } = await bench.envdJson(['artifact', 'fetch', 'first'], options)
    peaks.push(peak.bytes())
    bench.say(`envd ${(milliseconds / 1000).toFixed(2)} s`)
    return { milliseconds, volume }
  }
  const volumes = []
  const ours = async () => {
    for (const volume of volumes.splice(0)) await bench.remove(volume)
    const { milliseconds, volume } = await fetch()
    volumes.push(volume)
    return { milliseconds }
  }
  const paired = await comparePaired(bench.pairs, ours, () => broughtByCurl(bench, hub))
  const volume = volumes[0] ?? (await fetch()).volume
  const what = '4 GB of weights in 30 files from a local server'
  return [
    ratioResult(
      what,
      paired,
      Number(limits.ratio.toFixed(2)),
      '`curl --parallel`, two `openssl dgst`, `sync -f`',
    ),
    memoryResult('the same, peak memory of envd', Math.max(...peaks), limits.megabytes),
    await secondTask(hub, { volume, lockfiles }),
    await secondRevision(bench, hub, { volume, lockfiles }),
    await afterKill(bench, hub, { lockfiles }),
  ]
}

async function openHub(bench) {
  const folder = bench.emptyFolder('hub')
  const make = async (size, index) => {
    const file = join(folder, `${index}.safetensors`)
    const key = createHash('sha256').update(`weights ${index}`).digest('hex')
    const random = `head -c ${size} /dev/zero | openssl enc -aes-256-ctr -nosalt -K ${key} -iv ${'0'.repeat(32)} > ${file}`
    await bench.run('bash', ['-c', random])
    const { stdout } = await bench.run('sha256sum', [file], { read: true })
    return { path: `${index}.safetensors`, file, size, sha256: stdout.slice(0, 64) }
  }
  bench.say('making 4 GB of weights')
  const files = []
  for (const [index, size] of sizes.entries()) files.push(await make(size, index))
  const others = []
  for (const index of changed)
    others.push({ ...(await make(sizes[index], index + 100)), path: files[index].path })
  const revisions = { [first]: files, [second]: [...others, ...files.slice(changed.length)] }
  const { url } = await bench.serve(new URL('../support/weights-hub.mjs', import.meta.url), revisions)
  const sent = async () => (await fetch(`${url}/sent`)).json()
  return { url, files, others, sent }
}

function makeTasks(bench) {
  const lockfiles = bench.emptyFolder('weights-tasks')
  for (const [task, revision] of [
    ['first', first],
    ['same', first],
    ['newer', second],
  ]) {
    mkdirSync(join(lockfiles, task))
    const artifact = `[[artifact]]\nhub = "org/name"\nrevision = "${revision}"\n`
    writeFileSync(join(lockfiles, task, 'task.toml'), `lock = "requirements.lock"\n\n${artifact}`)
    writeFileSync(join(lockfiles, task, 'requirements.lock'), '')
  }
  return lockfiles
}

async function broughtByCurl(bench, { url, files }) {
  const folder = bench.emptyFolder('curl')
  const config = files.map(({ path }) => `url = ${url}/org/name/resolve/${first}/${path}\noutput = ${path}\n`)
  writeFileSync(join(folder, 'config'), config.join(''))
  const half = at => files.filter((_, index) => index % 2 === at).map(({ path }) => path)
  const script = [
    `cd ${folder}`,
    'curl --silent --fail --parallel --parallel-max 8 --config config',
    `openssl dgst -sha256 ${half(0).join(' ')} > /dev/null & one=$!`,
    `openssl dgst -sha256 ${half(1).join(' ')} > /dev/null`,
    'wait $one',
    'sync -f .',
  ]
  const { milliseconds } = await bench.run('bash', ['-e', '-c', script.join('\n')])
  bench.say(`curl ${(milliseconds / 1000).toFixed(2)} s`)
  await bench.remove(folder)
  return { milliseconds }
}

async function secondTask(hub, { volume, lockfiles }) {
  const { loadConfiguration, openDoor } = await import(pathToFileURL(join(root, 'dist/door.js')).href)
  const variables = { ...process.env, ENVD_VOLUME: volume, ENVD_LOCKFILES: lockfiles }
  const door = openDoor(loadConfiguration({}, variables))
  const before = await hub.sent()
  const times = []
  for (let call = 0; call < 100; call++) {
    const started = performance.now()
    const [{ artifacts }] = await door.fetchArtifacts(['same'], {})
    times.push(performance.now() - started)
    if (!artifacts[0].reused) throw new Error('it was brought again')
  }
  const milliseconds = median(times)
  const asked = (await hub.sent()).requests - before.requests
  return {
    what: 'a second task with the same weights, through the library, p50',
    ours: `${duration(milliseconds)}, ${asked} requests`,
    ...{ theirs: '', ratio: null, bound: `≤ ${limits.milliseconds} ms, none` },
    met: milliseconds <= limits.milliseconds && asked === 0,
    notes: [`${times.length} calls, the first, which loads what it needs, ${duration(times[0])}`],
  }
}

async function secondRevision(bench, hub, { volume, lockfiles }) {
  const options = { volume, lockfiles, env: { HF_ENDPOINT: hub.url } }
  await bench.envdJson(['artifact', 'fetch', 'newer'], options)
  const { stdout } = await bench.run('du', ['--summarize', '--block-size=1', volume], { read: true })
  const unique = [...hub.files, ...hub.others].reduce((bytes, { size }) => bytes + size, 0)
  const share = Number(stdout.split('\t')[0]) / unique - 1
  return {
    what: 'two revisions with 90 % in common: disk blocks of the volume beyond unique contents',
    ours: `${(share * 100).toFixed(3)} % of ${(unique / 1e6).toFixed(0)} MB`,
    ...{ theirs: '', ratio: null, bound: `≤ ${limits.disk * 100} %`, met: share <= limits.disk },
  }
}

async function afterKill(bench, hub, { lockfiles }) {
  const volume = bench.path('weights-killed')
  const total = sizes.reduce((bytes, size) => bytes + size, 0)
  const env = { ...process.env, ENVD_VOLUME: volume, ENVD_LOCKFILES: lockfiles, HF_ENDPOINT: hub.url }
  const child = spawn(process.execPath, [join(root, 'dist/envd.js'), 'artifact', 'fetch', 'first'], {
    env,
    stdio: 'ignore',
  })
  const ended = new Promise(resolve => child.once('exit', (status, signal) => resolve(signal ?? status)))
  const before = await hub.sent()
  const sent = async () => (await hub.sent()).bytes - before.bytes
  while (child.exitCode === null && (await sent()) < total * 0.9) await sleep(2)
  child.kill('SIGKILL')
  if ((await ended) !== 'SIGKILL') throw new Error('it ended before it could be killed')
  const options = { volume, lockfiles, env: { HF_ENDPOINT: hub.url } }
  const { result } = await bench.envdJson(['artifact', 'fetch', 'first'], options)
  const share = result[0].artifacts[0].received / total
  const left = readdirSync(join(volume, 'downloads')).length
  return {
    what: 'the same, killed when 90 % were sent: bytes that come again',
    ours: `${(share * 100).toFixed(1)} %`,
    ...{
      theirs: '',
      ratio: null,
      bound: `≤ ${limits.again * 100} %`,
      met: share <= limits.again && left === 0,
    },
  }
}
