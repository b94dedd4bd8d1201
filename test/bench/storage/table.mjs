const leastShare = 0.95

/** The sides for `records`, and how the volumes grew. `all`: also records of other tasks that lay on the same volumes. */
export function printStorage(machine, { records, all, left }) {
  const parts = [
    '# What a corpus takes on the disk',
    '`node test/bench/storage.mjs`; GB are 10⁹ bytes of disk blocks, bytecode included.',
    [...machine, ...left.map(id => `no room within the budget: ${id}`)].map(line => `- ${line}`).join('\n'),
    ...(records.length === 0 ? [] : [comparison(records, all), notes, course(records)]),
  ]
  return `${parts.join('\n\n')}\n`
}

const notes = [
  'Separate environments and the bound are computed from the manifests of these environments; the bound has each content once by sha256 and mode.',
  'uv with one cache: the files of each wheel once, with their folders; folders, bytecode and what the installer writes once an environment.',
  'envd, measured: what `du` says of the whole volume (store, environments, uv and its cache). Computed, where the tasks lay on several volumes: the bound, and what each volume took beyond its unique contents.',
]
  .map(line => `- ${line}`)
  .join('\n')

function comparison(records, all) {
  const separate = sum(records.map(record => record.separate))
  const bound = boundOf(records)
  const archives = Object.assign({}, ...records.map(({ uvArchives }) => uvArchives))
  const uv = sum(Object.values(archives)) + sum(records.map(({ uvEnvironment }) => uvEnvironment))
  const { disk, how } = diskOf(records, all)
  const share = bound / disk
  const row = (what, bytes) => [what, gigabytes(bytes), `${(separate / bytes).toFixed(2)} ×`]
  return table([
    [`${records.length} tasks, ${sum(records.map(({ files }) => files))} files`, 'GB', 'saving'],
    row('separate environments', separate),
    row('uv, one cache, hard links, bytecode', uv),
    row('bound, each content once', bound),
    row(`envd, ${how}`, disk),
    [
      `envd's saving ÷ the bound's, at least ${leastShare}`,
      share.toFixed(3),
      share >= leastShare ? 'met' : '**not met**',
    ],
  ])
}

function diskOf(records, all) {
  const volumes = [...new Set(records.map(({ volume }) => volume))].map(number =>
    all.filter(({ volume }) => volume === number),
  )
  const full = volume => Math.max(...volume.map(({ disk }) => disk))
  if (volumes.length === 1 && volumes[0].length === records.length) {
    return { disk: full(volumes[0]), how: 'measured' }
  }
  const beyond = volumes.map(volume => full(volume) - boundOf(volume))
  return { disk: boundOf(records) + sum(beyond), how: 'computed' }
}

function boundOf(records) {
  const contents = new Map(records.flatMap(record => Object.entries(record.contents)))
  return sum([...contents.values()])
}

function course(records) {
  return table([
    ['task', 'files', 'of them bytecode', 'separate, GB', 'volume', 'volume after it, GB'],
    ...records.map(({ id, files, bytecode, separate, volume, disk }) =>
      [id, files, bytecode, gigabytes(separate), volume, gigabytes(disk)].map(String),
    ),
  ])
}

function table([head, ...rows]) {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

function gigabytes(bytes) {
  return (bytes / 1e9).toFixed(2)
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0)
}
