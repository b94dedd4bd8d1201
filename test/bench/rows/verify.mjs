import { lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bigEnvironment } from '../support/big-environment.mjs'
import { median } from '../support/paired.mjs'

export const name = 'verify'
const limits = { filesPerSecond: 50_000, full: 0.8 }

/** Whole processes. Full verification of one environment hashes its contents; openssl hashes all blobs of the volume. */
export async function measure(bench) {
  const { task, volume, ready } = await bigEnvironment(bench)
  const options = { ...task, volume }
  const verify = async (...flags) => {
    const { milliseconds, result } = await bench.envdJson(['verify', task.name, ...flags], options)
    bench.say(`envd verify ${flags.join(' ')} ${(milliseconds / 1000).toFixed(2)} s`)
    return { seconds: milliseconds / 1000, ...result.checked }
  }
  const openssl = await hashedByOpenssl(bench, join(volume, 'blobs'))
  // What is compared lies in memory then, as far as it has room.
  await openssl()
  await verify('--quick')

  const quick = []
  const looks = []
  for (let run = 0; run < bench.pairs; run++) {
    const { seconds, blobs, paths } = await verify('--quick')
    quick.push(ready.files / seconds)
    looks.push((blobs + paths) / seconds)
  }
  const pairs = []
  for (let run = 0; run < bench.pairs; run++) {
    const sides = {}
    const ours = async () => {
      const { seconds, hashed } = await verify()
      sides.ours = hashed.bytes / 1e6 / seconds
    }
    const theirs = async () => {
      sides.theirs = await openssl()
    }
    for (const side of run % 2 === 0 ? [ours, theirs] : [theirs, ours]) await side()
    pairs.push(sides)
  }
  const ratio = median(pairs.map(({ ours, theirs }) => ours / theirs))
  const rate = side => `${median(pairs.map(sides => sides[side])).toFixed(0)} MB/s`
  return [
    {
      what: `\`envd verify --quick\`, ${task.name}`,
      ours: `${median(quick).toFixed(0)} files/s`,
      ...{ theirs: '', ratio: null, bound: `≥ ${limits.filesPerSecond} files/s` },
      met: median(quick) >= limits.filesPerSecond,
      notes: [
        `${ready.files} files of the environment; with its contents in the store and its folders, also looked at, ${median(looks).toFixed(0)} a second`,
      ],
    },
    {
      what: `\`envd verify\`, ${task.name}`,
      ours: rate('ours'),
      theirs: `${rate('theirs')} (two \`openssl dgst -sha256\`)`,
      ...{ ratio, bound: `≥ ${limits.full} ×`, met: ratio >= limits.full },
      notes: [`${pairs.length} pairs`],
    },
  ]
}

/** Two processes at once, each with half of the bytes; gives megabytes a second. */
async function hashedByOpenssl(bench, blobs) {
  const files = readdirSync(blobs)
    .flatMap(prefix => readdirSync(join(blobs, prefix)).map(name => join(blobs, prefix, name)))
    .map(path => ({ path, size: lstatSync(path).size }))
    .sort((a, b) => b.size - a.size)
  const halves = [0, 1].map(at => ({ list: bench.path(`blobs-${at}`), paths: [], bytes: 0 }))
  for (const { path, size } of files) {
    const half = halves[0].bytes <= halves[1].bytes ? halves[0] : halves[1]
    half.paths.push(path)
    half.bytes += size
  }
  for (const { list, paths } of halves) writeFileSync(list, paths.join('\0'))
  const megabytes = (halves[0].bytes + halves[1].bytes) / 1e6
  const hash = ({ list }) =>
    bench.run('xargs', ['-0', '-s', '1000000', '-a', list, 'openssl', 'dgst', '-sha256'])
  return async () => {
    const started = performance.now()
    await Promise.all(halves.map(hash))
    const seconds = (performance.now() - started) / 1000
    bench.say(`openssl ${seconds.toFixed(2)} s`)
    return megabytes / seconds
  }
}
